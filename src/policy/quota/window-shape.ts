import type { QuotaWindow } from '../../config/policy-server/policy-server-config.js';

/**
 * How a window is divided into buckets of `durationMs / divisions`, which follow one another from the epoch. An amount
 * counts in its bucket and in the next `carried` ones.
 *
 * A fixed window is one bucket, and nothing is carried. A rolling window has 60 buckets (one for each millisecond when
 * it is shorter), and all are carried: an amount counts for the whole window and up to one bucket longer, so that never
 * more than the limit passes in any window of that length.
 */
export interface WindowShape {
  readonly durationMs: number;
  readonly divisions: number;
  readonly carried: number;
}

const ROLLING_DIVISIONS = 60;

/** @param durationMs whole milliseconds, above 0 */
export function windowShape(window: QuotaWindow, durationMs: number): WindowShape {
  if (window === 'fixed') return { durationMs, divisions: 1, carried: 0 };
  const divisions = Math.min(ROLLING_DIVISIONS, durationMs);
  return { durationMs, divisions, carried: divisions };
}

/**
 * The bucket of a time in whole milliseconds since the epoch. Exact in doubles: the product stays below 2^53 until the
 * year 6700, and a fractional quotient of such numbers is never rounded to a whole one.
 */
export function bucketAt({ durationMs, divisions }: WindowShape, nowMs: number): number {
  return Math.floor((nowMs * divisions) / durationMs);
}

/** The first whole millisecond at which amounts of the bucket no longer count. */
export function releaseMs({ durationMs, divisions, carried }: WindowShape, bucket: number): number {
  return Math.ceil(((bucket + carried + 1) * durationMs) / divisions);
}
