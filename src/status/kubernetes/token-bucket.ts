/** Lets so many through at once, and so many each second after that. */
export interface TokenBucket {
  /** Takes one; otherwise says in how many milliseconds there will be one. */
  take(nowMs: number): { readonly taken: true } | { readonly taken: false; readonly waitMs: number };
}

/**
 * @param perSecond NAV_STATUS_QPS; zero or less means without limit
 * @param burst NAV_STATUS_BURST; at least one
 */
export function createTokenBucket(perSecond: number, burst: number): TokenBucket {
  const size = Math.max(1, burst);
  let tokens = size;
  let filledMs: number | undefined;
  return {
    take: (nowMs) => {
      if (perSecond <= 0) return { taken: true };
      tokens = Math.min(size, tokens + ((nowMs - (filledMs ?? nowMs)) * perSecond) / 1000);
      filledMs = nowMs;
      if (tokens < 1) return { taken: false, waitMs: Math.ceil(((1 - tokens) * 1000) / perSecond) };
      tokens -= 1;
      return { taken: true };
    },
  };
}
