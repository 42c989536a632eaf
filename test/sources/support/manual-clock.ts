import type { Clock } from '../../../src/base/clock.js';

/** Time that stands still until it is moved. */
export interface ManualClock extends Clock {
  advance(milliseconds: number): void;
  readonly pending: number;
}

export function createManualClock(): ManualClock {
  let nowMs = 0;
  const timers = new Set<{ readonly atMs: number; readonly callback: () => void }>();
  return {
    monotonicMs: () => nowMs,
    now: () => new Date(nowMs),
    schedule: (delayMs, callback) => {
      const timer = { atMs: nowMs + delayMs, callback };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    get pending() {
      return timers.size;
    },
    advance: (milliseconds) => {
      const endMs = nowMs + milliseconds;
      for (;;) {
        const [next] = [...timers].filter((timer) => timer.atMs <= endMs).sort((a, b) => a.atMs - b.atMs);
        if (next === undefined) break;
        nowMs = next.atMs;
        timers.delete(next);
        next.callback();
      }
      nowMs = endMs;
    },
  };
}
