import type { Clock } from '../base/clock.js';

/** Times a piece of work that is done over and over, and says how long to wait before it is done again. */
export interface WorkPause {
  /** Runs the work and remembers how long it took, also when it throws. */
  run<Result>(work: () => Result): Result;
  /** Milliseconds to wait after the last run; 0 before the first. */
  readonly pauseMs: number;
}

/**
 * With a pause of four times the work, the work takes a fifth of the processor at most, however often objects change.
 */
const PAUSE_BY_WORK = 4;

export function createWorkPause(clock: Clock): WorkPause {
  let tookMs = 0;
  return {
    run: (work) => {
      const startMs = clock.monotonicMs();
      try {
        return work();
      } finally {
        tookMs = clock.monotonicMs() - startMs;
      }
    },
    get pauseMs() {
      return PAUSE_BY_WORK * tookMs;
    },
  };
}
