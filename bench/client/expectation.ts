import type { Marker } from '../mesh/mesh-change.js';

/** The condition under which a client has finished a phase. */
export type Expectation =
  /** It has every type: clusters, all their assignments, listeners, and all their route tables. */
  | { readonly kind: 'sync' }
  /** It has seen every marker. */
  | { readonly kind: 'change'; readonly markers: readonly Marker[] }
  /** Never finished: the phase measures the arrival of each marked address. Messages are not recorded. */
  | { readonly kind: 'churn' };
