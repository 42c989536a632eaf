/** Limits a rate: `burst` at once, then `perSecond`. */
export interface TokenBucket {
  /** Takes a token, or returns the milliseconds until the next one. */
  take(nowMs: number): { readonly taken: true } | { readonly taken: false; readonly waitMs: number };
}

/**
 * @param perSecond zero or less: no limit
 * @param burst at least 1
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
