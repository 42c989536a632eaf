import type { Marker } from '../mesh/mesh-change.js';

/** When a client has what a phase is about. */
export type Expectation =
  /** It has every type: clusters, all their assignments, listeners, and all their route tables. */
  | { readonly kind: 'sync' }
  /** It has seen every marker. */
  | { readonly kind: 'change'; readonly markers: readonly Marker[] }
  /** It is never done: what counts is when each marked address of a churn came. Messages are not recorded. */
  | { readonly kind: 'churn' };
