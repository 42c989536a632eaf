/** Times of a watch, in milliseconds. Tests shorten them. */
export interface WatchTiming {
  /** First wait after a failure; doubles up to `maxRetryMs`. */
  readonly retryMs: number;
  readonly maxRetryMs: number;
  /** How often a kind that the API server does not have is asked for again: its CRD may come. */
  readonly missingRetryMs: number;
  /** A refusal (403, 429) counts as such when it has lasted this long: an API server that starts, and a CRD that is new, refuse at first. */
  readonly refusalGraceMs: number;
  /** After an outage this long a list comes before the next watch: the cluster may have been restored meanwhile. */
  readonly outageListMs: number;
  /** Nothing of a list's answer arrived for this long: it failed. */
  readonly listIdleMs: number;
  /** Nothing of a watch arrived for this long, not even a bookmark, of which one comes every two minutes: listed anew. */
  readonly watchIdleMs: number;
  /** A watch that lasted this long was a good one: the next failure is a first one again. */
  readonly healthyMs: number;
}

export const DEFAULT_WATCH_TIMING: WatchTiming = {
  retryMs: 200,
  maxRetryMs: 10_000,
  missingRetryMs: 5_000,
  refusalGraceMs: 3_000,
  outageListMs: 1_000,
  listIdleMs: 60_000,
  watchIdleMs: 180_000,
  healthyMs: 5_000,
};
