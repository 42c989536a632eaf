import type { Clock } from '../../../base/clock.js';
import type { FairSplit } from './fair-split.js';

/** So few buckets are divided anew for each of them. */
const ALWAYS_BELOW = 32;
/** The age of a division of many buckets, in milliseconds for each of them. */
const MAX_AGE_MS = 0.05;

/**
 * The division among the buckets of a limit. Among many it is kept for a while: thousands of buckets can charge one limit,
 * and each of them needs the division with each report.
 */
export function createKnownSplit(clock: Clock, size: () => number, divide: () => FairSplit): () => FairSplit {
  let known: { readonly split: FairSplit; readonly size: number; readonly atMs: number } | undefined;
  return () => {
    const count = size();
    const nowMs = clock.monotonicMs();
    const isKept =
      known !== undefined &&
      count >= ALWAYS_BELOW &&
      count <= known.size * 1.2 &&
      nowMs - known.atMs <= known.size * MAX_AGE_MS;
    if (known === undefined || !isKept) known = { split: divide(), size: count, atMs: nowMs };
    return known.split;
  };
}
