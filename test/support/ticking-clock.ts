import type { Clock } from '../../src/base/clock.js';

/** Each look at the clock takes a millisecond. */
export function createTickingClock(): Clock {
  let nowMs = 0;
  return { monotonicMs: () => nowMs++, now: () => new Date(0), schedule: () => () => undefined };
}
