import type { Marker } from '../mesh/mesh-change.js';

/** The condition under which a client has finished a phase. */
export type Expectation =
  /** It has every type: clusters, all their assignments, listeners, and all their route tables. */
  | { readonly kind: 'sync' }
  /** It has seen every marker. */
  | { readonly kind: 'change'; readonly markers: readonly Marker[] }
  /** Of the clients that stay connected: as for a change. Of the others, which connect again: as for a sync. */
  | { readonly kind: 'storm'; readonly markers: readonly Marker[] }
  /** Of the witness: as for a change. The others should get nothing, and are not waited for. */
  | { readonly kind: 'unseen'; readonly markers: readonly Marker[] }
  /** Never finished: the phase measures the arrival of each marked address. Messages are not recorded. */
  | { readonly kind: 'churn' };

/** The condition for one client. */
export type ClientExpectation =
  | Exclude<Expectation, { readonly kind: 'storm' | 'unseen' }>
  /** It should get nothing, and is not waited for. */
  | { readonly kind: 'nothing' };

/** In a storm, one client in so many stays connected. */
const STAYS = 20;

export function staysInStorm(index: number): boolean {
  return index % STAYS === 0;
}

/** Among clients on demand, the first is not: what it gets shows that the server has sent a change. */
export const WITNESS = 0;

export function expectationOfClient(expectation: Expectation, index: number): ClientExpectation {
  if (expectation.kind === 'unseen') {
    return index === WITNESS ? { ...expectation, kind: 'change' } : { kind: 'nothing' };
  }
  if (expectation.kind !== 'storm') return expectation;
  return staysInStorm(index) ? { ...expectation, kind: 'change' } : { kind: 'sync' };
}
