import type { Clock } from '../../base/clock.js';

/** How fast one object is written to: at once a few times, then seldom. */
export interface WritePace {
  /** Milliseconds until the next write may be; 0 for now. */
  waitMs(): number;
  /** There was one. */
  wrote(): void;
}

const BURST = 5;
const EVERY_MS = 5_000;

/**
 * Whoever undoes what we write would have us write without end, as fast as the API server answers: another control
 * plane with roots of its own, a replica that has not read its new CA yet, or a remote API server that means no good.
 */
export function createWritePace(clock: Clock): WritePace {
  /** When as many writes as at first may follow on each other again. */
  let restedAtMs = 0;
  return {
    waitMs: () => Math.max(0, restedAtMs - (BURST - 1) * EVERY_MS - clock.monotonicMs()),
    wrote: () => {
      restedAtMs = Math.max(restedAtMs, clock.monotonicMs()) + EVERY_MS;
    },
  };
}

/** What to do about it. */
export const UNDONE_REMEDY =
  'somebody else keeps changing it: find who; two control planes must not share a webhook configuration';
