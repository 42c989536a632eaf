import type { Clock } from '../../base/clock.js';

/** How fast one stream's requests are read. A stream that is too fast waits; it is not ended. */
export interface RequestPace {
  /**
   * One more request was read.
   *
   * @param cost 1, and more for a request that takes long to serve
   * @returns how long the next one has to wait, in milliseconds
   */
  take(cost: number): number;
}

/** Requests that a stream may send at once, as a multiple of those in a second. */
const BURST_SECONDS = 10;

export function createRequestPace(perSecond: number, clock: Clock): RequestPace {
  const burst = perSecond * BURST_SECONDS;
  let tokens = burst;
  let atMs = clock.monotonicMs();
  return {
    take: (cost) => {
      const nowMs = clock.monotonicMs();
      tokens = Math.min(burst, tokens + ((nowMs - atMs) / 1000) * perSecond) - cost;
      atMs = nowMs;
      return tokens >= 0 ? 0 : Math.ceil((-tokens / perSecond) * 1000);
    },
  };
}
