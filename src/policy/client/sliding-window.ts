const BUCKETS = 10;

/** Adds up amounts of the recent past. */
export interface SlidingWindow {
  add(amount: number, nowMs: number): void;
  /** What was added during the window that ends now, in steps of a tenth of the window. */
  total(nowMs: number): number;
}

/** Takes the same memory however much is added. */
export function createSlidingWindow(windowMs: number): SlidingWindow {
  const bucketMs = windowMs / BUCKETS;
  const amounts = new Array<number>(BUCKETS).fill(0);
  let newest = Number.NEGATIVE_INFINITY;
  const moveTo = (nowMs: number): void => {
    const current = Math.floor(nowMs / bucketMs);
    for (let bucket = Math.max(newest + 1, current - BUCKETS + 1); bucket <= current; bucket++) {
      amounts[bucket % BUCKETS] = 0;
    }
    newest = Math.max(newest, current);
  };
  return {
    add: (amount, nowMs) => {
      moveTo(nowMs);
      amounts[newest % BUCKETS] = (amounts[newest % BUCKETS] ?? 0) + amount;
    },
    total: (nowMs) => {
      moveTo(nowMs);
      return amounts.reduce((sum, amount) => sum + amount, 0);
    },
  };
}
