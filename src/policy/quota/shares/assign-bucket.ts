import { type Assignment, assignmentOf } from './assignment.js';
import { neededTokens, type ShareBucket, unusedTokens, windowCharges } from './share-bucket.js';

/** The assignment after a change of rates alone. */
export function assignRate(bucket: ShareBucket, nowMs: number): Assignment {
  return assignBucket(
    bucket,
    windowCharges(bucket).length === 0 ? Number.POSITIVE_INFINITY : unusedTokens(bucket, nowMs),
  );
}

/** The assignment of some tokens, within the bucket's parts of rates. @param tokens infinite without a window */
export function assignBucket(bucket: ShareBucket, tokens: number): Assignment {
  const rates = bucket.charges.flatMap((charge) => (charge.type === 'rate' ? charge.share.rateOf(bucket) : []));
  const [slowest] = rates.sort((first, second) => first.requestsPerS - second.requestsPerS);
  return assignmentOf({ tokens, needed: neededTokens(bucket), rate: slowest });
}
