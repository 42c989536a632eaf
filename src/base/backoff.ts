export interface BackoffOptions {
  /** Longest first wait. */
  readonly initialMs: number;
  /** Longest wait of all. */
  readonly maxMs: number;
  /** Uniform in [0, 1). */
  readonly random: () => number;
}

/** Waits between attempts: the longest wait doubles with each failure. */
export interface Backoff {
  /**
   * The next wait in milliseconds: a random time between half of the longest wait and all of it, so that many clients of
   * one server do not return at the same moment.
   */
  nextMs(): number;
  /** Starts again with the first wait, after a success. */
  reset(): void;
}

export function createBackoff({ initialMs, maxMs, random }: BackoffOptions): Backoff {
  let longestMs = initialMs;
  return {
    nextMs: () => {
      const waitMs = longestMs * (0.5 + random() / 2);
      longestMs = Math.min(maxMs, longestMs * 2);
      return waitMs;
    },
    reset: () => {
      longestMs = initialMs;
    },
  };
}
