/** Time, passed in wherever it matters so that tests can own it. */
export interface Clock {
  /** Milliseconds of a clock that never goes back. */
  monotonicMs(): number;
  /** Wall-clock time. */
  now(): Date;
  /** Calls back once after the delay; the returned function cancels. */
  schedule(delayMs: number, callback: () => void): () => void;
}

/** The longest delay of a timer of Node, in milliseconds. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  monotonicMs: () => performance.now(),
  now: () => new Date(),
  schedule: (delayMs, callback) => {
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  },
};
