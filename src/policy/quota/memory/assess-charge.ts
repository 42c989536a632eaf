import type { CounterCharge } from '../quota-store.js';
import { bucketAt, releaseMs } from '../window-shape.js';
import type { Usage } from './usage.js';

/** What there is for a charge, before anything is taken. */
export interface Assessment {
  readonly granted: number;
  readonly validMs: number;
  readonly retryAfterMs?: number;
}

/** @param usage what counts for the key; undefined when nothing does */
export function assessCharge(charge: CounterCharge, usage: Usage | undefined, nowMs: number): Assessment {
  const { amount, bestEffort, maxAmount } = charge;
  const { shape } = charge.counter;
  const bucket = bucketAt(shape, nowMs);
  const used = usage?.total(bucket - shape.carried) ?? 0;
  const left = Math.max(maxAmount - used, 0);
  const validMs = shape.carried > 0 ? shape.durationMs : releaseMs(shape, bucket) - nowMs;
  if (amount <= left) return { granted: amount, validMs };
  const granted = bestEffort ? left : 0;
  const released = bestEffort
    ? nextRelease(usage, used, maxAmount, bucket)
    : amount > maxAmount
      ? undefined
      : usage?.lastAbove(maxAmount - amount);
  if (released === undefined) return { granted, validMs };
  return { granted, validMs, retryAfterMs: releaseMs(shape, released) - nowMs };
}

/** The bucket with whose end there is at least one unit again, when all that is left now is taken. */
function nextRelease(usage: Usage | undefined, used: number, maxAmount: number, bucket: number): number | undefined {
  if (maxAmount === 0) return undefined;
  return usage?.lastAbove(Math.min(used, maxAmount) - 1) ?? bucket;
}
