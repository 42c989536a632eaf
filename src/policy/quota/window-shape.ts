import type { CalendarUnit, QuotaWindow } from '../../config/policy-server/policy-server-config.js';

/**
 * How a window is divided into buckets of `durationMs / divisions`, which follow one another from the epoch. An amount
 * counts in its bucket and in the next `carried` ones.
 *
 * A fixed window is one bucket, and nothing is carried. A rolling window has 60 buckets (one for each millisecond when
 * it is shorter), and all are carried: an amount counts for the whole window and up to one bucket longer, so that never
 * more than the limit passes in any window of that length.
 */
export interface WindowShape {
  /** Of a month the longest one. */
  readonly durationMs: number;
  readonly divisions: number;
  readonly carried: number;
  /** Buckets are weeks from Monday, or months since the year 0, in UTC. */
  readonly calendar?: CalendarUnit;
}

const ROLLING_DIVISIONS = 60;
const DAY_MS = 86_400_000;
const WEEK_MS = 7 * DAY_MS;
const LONGEST_MONTH_MS = 31 * DAY_MS;
/** From the Monday before 1970-01-01, a Thursday. */
const MONDAY_MS = 3 * DAY_MS;
const MONTHS = 12;

/** @param durationMs whole milliseconds, above 0; without a meaning for a calendar unit */
export function windowShape(window: QuotaWindow, durationMs: number): WindowShape {
  switch (window) {
    case 'fixed':
      return { durationMs, divisions: 1, carried: 0 };
    case 'week':
      return { durationMs: WEEK_MS, divisions: 1, carried: 0, calendar: 'week' };
    case 'month':
      return { durationMs: LONGEST_MONTH_MS, divisions: 1, carried: 0, calendar: 'month' };
    case 'rolling': {
      const divisions = Math.min(ROLLING_DIVISIONS, durationMs);
      return { durationMs, divisions, carried: divisions };
    }
  }
}

/**
 * The bucket of a time in whole milliseconds since the epoch. Exact in doubles: the product stays below 2^53 until the
 * year 6700, and a fractional quotient of such numbers is never rounded to a whole one.
 */
export function bucketAt({ durationMs, divisions, calendar }: WindowShape, nowMs: number): number {
  if (calendar === undefined) return Math.floor((nowMs * divisions) / durationMs);
  if (calendar === 'week') return Math.floor((nowMs + MONDAY_MS) / WEEK_MS);
  const now = new Date(nowMs);
  return now.getUTCFullYear() * MONTHS + now.getUTCMonth();
}

/** The first whole millisecond at which amounts of the bucket no longer count. */
export function releaseMs({ durationMs, divisions, carried, calendar }: WindowShape, bucket: number): number {
  if (calendar === undefined) return Math.ceil(((bucket + carried + 1) * durationMs) / divisions);
  if (calendar === 'week') return (bucket + 1) * WEEK_MS - MONDAY_MS;
  return Date.UTC(Math.floor((bucket + 1) / MONTHS), (bucket + 1) % MONTHS);
}
