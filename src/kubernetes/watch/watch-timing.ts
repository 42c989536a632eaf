/** Times of a watch, in milliseconds. Tests shorten them. */
export interface WatchTiming {
  /** First wait after a failure; it doubles up to `maxRetryMs`. */
  readonly retryMs: number;
  readonly maxRetryMs: number;
  /** Interval at which a kind that the API server lacks is tried again: its CRD may be installed. */
  readonly missingRetryMs: number;
  /**
   * A rejection (403, 429) is reported after it has lasted this long: a starting API server and a new CRD reject
   * requests at first.
   */
  readonly refusalGraceMs: number;
  /** After an outage of this length, a list comes before the next watch: the cluster may have been restored. */
  readonly outageListMs: number;
  /** A list has failed when no byte arrives for this long. */
  readonly listIdleMs: number;
  /** After this long without a byte, the list is read again. A bookmark comes every two minutes. */
  readonly watchIdleMs: number;
  /** A watch that lasted this long succeeded: the back-off starts again from its first wait. */
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
