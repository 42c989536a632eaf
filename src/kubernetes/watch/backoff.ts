export interface BackoffOptions {
  readonly initialMs: number;
  readonly maxMs: number;
  /** From 0 up to, not including, 1. */
  readonly random: () => number;
}

/** Waits that double from one failure to the next, each with jitter, so that replicas do not return as one. */
export interface Backoff {
  /** Half to all of the present wait. */
  nextMs(): number;
  reset(): void;
}

export function createBackoff({ initialMs, maxMs, random }: BackoffOptions): Backoff {
  let currentMs = initialMs;
  return {
    nextMs: () => {
      const waitMs = currentMs * (0.5 + random() / 2);
      currentMs = Math.min(maxMs, currentMs * 2);
      return waitMs;
    },
    reset: () => {
      currentMs = initialMs;
    },
  };
}
