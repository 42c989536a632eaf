/** Environment variables of the forked floor of a cluster reader. */
export interface WatchFloorTarget {
  readonly server: string;
  readonly token: string;
  readonly ca: string;
}

export type WatchFloorReport =
  /** Everything was listed and parsed, and the watches are open. */
  | { readonly kind: 'listed'; readonly objects: number; readonly bytes: number }
  /** Marked addresses that a watch brought: pairs of a change's number and when it came, on the monotonic clock. */
  | { readonly kind: 'arrivals'; readonly arrivals: readonly number[] };
