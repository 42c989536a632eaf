import { assignBucket } from './assign-bucket.js';
import type { Assignment } from './assignment.js';
import { takeFromLargest } from './move-tokens.js';
import { holdTokens, neededTokens, type ShareBucket, unusedTokens, windowCharges } from './share-bucket.js';

/** What a proxy has reported of a bucket since its last report. */
export interface ReportedUse {
  readonly allowed: number;
  readonly denied: number;
}

/**
 * Settles what a bucket has used, and gives it tokens until its next report. Its former reservation is replaced: what was
 * used counts from now on, so that it never counts too short.
 *
 * @throws PolicyTransportError when the store cannot tell what was reserved; the bucket has no tokens then
 */
export async function settleBucket(bucket: ShareBucket, { allowed }: ReportedUse, nowMs: number): Promise<Assignment> {
  const charges = windowCharges(bucket);
  const isOver = charges.some(({ share }) => share.isOver(bucket.reservedMs));
  const reserved = isOver ? 0 : bucket.tokens;
  holdTokens(bucket, Math.max(0, reserved - allowed), nowMs);
  const wanted = Math.min(...charges.map(({ share }) => share.tokensFor(bucket)));
  holdTokens(bucket, 0, nowMs);
  let granted = await replaceReservation(bucket, { wanted, reserved, used: allowed });
  const [only] = charges;
  if (bucket.requestsPerS === undefined && granted < wanted && charges.length === 1 && only !== undefined) {
    granted += takeFromLargest(only.share, bucket, wanted - granted, nowMs);
  }
  holdTokens(bucket, charges.length === 0 ? 0 : granted, nowMs);
  bucket.reservedMs = nowMs;
  return assignBucket(bucket, granted);
}

/** Requests of a bucket. */
interface Reservation {
  readonly wanted: number;
  /** By the former assignment. */
  readonly reserved: number;
  /** Also those before the first assignment, and those that passed while the last one was on its way. */
  readonly used: number;
}

/** @returns the tokens for which all counters had enough; infinite without a counter */
async function replaceReservation(bucket: ShareBucket, { wanted, reserved, used }: Reservation): Promise<number> {
  const charges = windowCharges(bucket);
  const { reservedIn } = bucket;
  let granted = charges.length === 0 ? Number.POSITIVE_INFINITY : wanted;
  const rests: number[] = [];
  for (const { share, amount } of charges) {
    const result = await share.reserve((granted + used) * amount, reserved * amount, reservedIn.get(share) ?? 0);
    reservedIn.set(share, result.bucket);
    const rest = Math.max(0, result.granted - used * amount);
    rests.push(rest);
    granted = Math.min(granted, Math.floor(rest / amount));
    if (granted < neededTokens(bucket)) share.wait(result.releaseMs);
  }
  for (const [index, { share, amount }] of charges.entries()) {
    const excess = (rests[index] ?? 0) - granted * amount;
    if (excess > 0) await share.reserve(0, excess, reservedIn.get(share) ?? 0);
  }
  return granted;
}

/** Gives back what a bucket has probably not used, because its proxy is gone or has forgotten the bucket. */
export async function returnTokens(bucket: ShareBucket, nowMs: number): Promise<void> {
  const unused = Math.floor(unusedTokens(bucket, nowMs));
  holdTokens(bucket, 0, nowMs);
  if (unused === 0) return;
  for (const { share, amount } of windowCharges(bucket)) {
    if (!share.isOver(bucket.reservedMs)) await share.reserve(0, unused * amount, bucket.reservedIn.get(share) ?? 0);
  }
}
