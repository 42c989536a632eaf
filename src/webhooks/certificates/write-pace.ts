import type { Clock } from '../../base/clock.js';

/** Limits the writes to one object: a few at once, then one every `EVERY_MS`. */
export interface WritePace {
  /** Milliseconds until the next write is allowed; 0 for now. */
  waitMs(): number;
  /** Counts a write. */
  wrote(): void;
}

const BURST = 5;
const EVERY_MS = 5_000;

/**
 * Without this limit, a client that reverts each write causes endless writes, as fast as the API server answers:
 * another control plane with its own root, a replica that has not read its new CA yet, or a hostile remote API server.
 */
export function createWritePace(clock: Clock): WritePace {
  /** Time at which the full burst is available again. */
  let restedAtMs = 0;
  return {
    waitMs: () => Math.max(0, restedAtMs - (BURST - 1) * EVERY_MS - clock.monotonicMs()),
    wrote: () => {
      restedAtMs = Math.max(restedAtMs, clock.monotonicMs()) + EVERY_MS;
    },
  };
}

/** The remedy for a configuration that does not keep its content. */
export const UNDONE_REMEDY =
  'another client keeps changing it; find that client: two control planes must not share a webhook configuration';
