import type { Clock } from '../../src/base/clock.js';

/** A clock that moves only when the test says so. */
export interface FakeClock extends Clock {
  /** Advances the time and runs due callbacks in order. */
  advance(ms: number): void;
  /** Timers that are waiting. */
  readonly timers: number;
}

export function createFakeClock(startMs = 0): FakeClock {
  let nowMs = startMs;
  let counter = 0;
  const waiting = new Map<number, { dueMs: number; callback: () => void }>();
  const nextDue = (untilMs: number): number | undefined => {
    let found: number | undefined;
    for (const [id, timer] of waiting) {
      if (timer.dueMs > untilMs) continue;
      if (found === undefined || timer.dueMs < (waiting.get(found)?.dueMs ?? 0)) found = id;
    }
    return found;
  };
  return {
    monotonicMs: () => nowMs,
    now: () => new Date(Date.UTC(2026, 0, 1) + nowMs),
    schedule: (delayMs, callback) => {
      const id = ++counter;
      waiting.set(id, { dueMs: nowMs + delayMs, callback });
      return () => waiting.delete(id);
    },
    advance: (ms) => {
      const untilMs = nowMs + ms;
      for (let id = nextDue(untilMs); id !== undefined; id = nextDue(untilMs)) {
        const timer = waiting.get(id);
        waiting.delete(id);
        nowMs = Math.max(nowMs, timer?.dueMs ?? nowMs);
        timer?.callback();
      }
      nowMs = untilMs;
    },
    get timers() {
      return waiting.size;
    },
  };
}
