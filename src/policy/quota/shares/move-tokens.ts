import { assignBucket } from './assign-bucket.js';
import { splitFairly } from './fair-split.js';
import { neededTokens, occupy, type ShareBucket, unusedTokens, windowCharges } from './share-bucket.js';
import type { WindowShare } from './window-share.js';

/** Buckets among which the largest is looked for: thousands of buckets can charge one limit. */
const MAX_LOOKED = 100;

/**
 * Takes tokens from the bucket of the same limit that has most, for a new bucket. The other one gets an assignment with
 * those that it keeps.
 *
 * @returns the number of tokens
 */
export function takeFromLargest(share: WindowShare, bucket: ShareBucket, wanted: number, nowMs: number): number {
  const amount = onlyAmount(bucket, share);
  let largest: ShareBucket | undefined;
  let most = 0;
  let looked = 0;
  for (const other of share.buckets) {
    if (++looked > MAX_LOOKED) break;
    if (other === bucket || other.busy !== undefined || onlyAmount(other, share) !== amount) continue;
    const unused = unusedTokens(other, nowMs);
    if (unused > most) {
      largest = other;
      most = unused;
    }
  }
  const taken = Math.floor(Math.min(wanted, most / 2));
  if (largest === undefined || taken < 1) return 0;
  largest.tokens -= taken;
  // What was reserved for the other bucket must be given back from where it counts.
  const reservedIn = [bucket, largest].map((each) => each.reservedIn.get(share) ?? Number.POSITIVE_INFINITY);
  bucket.reservedIn.set(share, Math.min(...reservedIn));
  assignAnew(largest, most - taken, nowMs);
  return taken;
}

/** Divides what the counter of a share has now among the buckets that need more. @throws PolicyTransportError */
export async function topUpShare(share: WindowShare, nowMs: number): Promise<void> {
  const hungry = [...share.buckets].filter((bucket) => isHungry(bucket, share, nowMs));
  const missing = hungry.map((bucket) => missingTokens(bucket, nowMs) * (onlyAmount(bucket, share) ?? 1));
  const wanted = missing.reduce((sum, each) => sum + each, 0);
  if (wanted === 0) return;
  await occupy(hungry, async () => {
    const { granted, bucket: reservedIn, releaseMs } = await share.reserve(wanted, 0, 0);
    if (granted < wanted) share.wait(releaseMs);
    const rest = addTokens(share, hungry, missing, granted, nowMs);
    if (rest > 0) await share.reserve(0, rest, reservedIn);
  });
}

/** @returns what could not be divided */
function addTokens(
  share: WindowShare,
  hungry: readonly ShareBucket[],
  missing: readonly number[],
  granted: number,
  nowMs: number,
): number {
  const { partOf } = splitFairly(granted, missing);
  let rest = granted;
  for (const [index, bucket] of hungry.entries()) {
    const amount = onlyAmount(bucket, share) ?? 1;
    const added = Math.floor(Math.min(rest, partOf(missing[index] ?? 0)) / amount);
    if (added < 1) continue;
    rest -= added * amount;
    const unused = unusedTokens(bucket, nowMs);
    bucket.tokens += added;
    assignAnew(bucket, unused + added, nowMs);
  }
  return rest;
}

function assignAnew(bucket: ShareBucket, tokens: number, nowMs: number): void {
  bucket.assignedTokens = tokens;
  bucket.assignedMs = nowMs;
  bucket.push(assignBucket(bucket, tokens));
}

function isHungry(bucket: ShareBucket, share: WindowShare, nowMs: number): boolean {
  return bucket.busy === undefined && onlyAmount(bucket, share) !== undefined && missingTokens(bucket, nowMs) >= 1;
}

function missingTokens(bucket: ShareBucket, nowMs: number): number {
  if (bucket.requestsPerS === undefined) return 0;
  return Math.floor(neededTokens(bucket) - unusedTokens(bucket, nowMs));
}

/** The amount of the only window that a request of the bucket charges; undefined for a bucket of several windows. */
function onlyAmount(bucket: ShareBucket, share: WindowShare): number | undefined {
  const charges = windowCharges(bucket);
  const [only] = charges;
  return charges.length === 1 && only?.share === share ? only.amount : undefined;
}
