import type { Clock } from '../../../base/clock.js';
import type { ResolvedLimit } from '../compile-limit.js';
import { type FairSplit, splitFairly } from './fair-split.js';
import { createKnownSplit } from './known-split.js';
import { neededTokens, REPORT_INTERVAL_S, type ShareBucket } from './share-bucket.js';

/** The rate of one limit whose window is shorter than two reports, divided among the buckets that charge it. */
export interface RateShare {
  readonly id: string;
  readonly buckets: ReadonlySet<ShareBucket>;
  add(bucket: ShareBucket): void;
  remove(bucket: ShareBucket): void;
  /** The current part of a bucket, in requests. Parts of other buckets follow soon. */
  rateOf(bucket: ShareBucket): { readonly requestsPerS: number; readonly burst: number };
  stop(): void;
}

export interface RateShareOptions {
  readonly id: string;
  readonly limit: ResolvedLimit;
  /** Policy servers among which the rate is divided. */
  readonly servers: () => number;
  readonly clock: Clock;
  /** Assigns a bucket again, because its part is another one. */
  readonly reassign: (bucket: ShareBucket) => void;
}

/** Part of a window's amount that a bucket admits at once. */
const BURST_PART = 0.1;
/** Changes of parts wait for others, so that many new buckets cost one division. */
const SETTLE_MS = 100;
/** Smaller changes wait for the next report. */
const MIN_CHANGE = 0.05;

export function createRateShare({ id, limit, servers, clock, reassign }: RateShareOptions): RateShare {
  const { maxAmount, counter } = limit;
  const windowS = counter.shape.durationMs / 1000;
  const buckets = new Set<ShareBucket>();
  const current = new Map<ShareBucket, number>();
  let cancel: (() => void) | undefined;

  const divide = (): FairSplit => splitFairly(maxAmount / windowS / servers(), [...buckets].map(neededRate));
  const split = createKnownSplit(clock, () => buckets.size, divide);
  /** In units a second. */
  const neededRate = (bucket: ShareBucket): number => (neededTokens(bucket) / REPORT_INTERVAL_S) * amountOf(bucket);
  const amountOf = ({ charges }: ShareBucket): number => charges.find(({ share: of }) => of === share)?.amount ?? 1;

  const settle = (): void => {
    cancel = undefined;
    const { partOf } = divide();
    for (const bucket of buckets) {
      const part = partOf(neededRate(bucket));
      const before = current.get(bucket) ?? 0;
      if (Math.abs(part - before) <= before * MIN_CHANGE) continue;
      current.set(bucket, part);
      reassign(bucket);
    }
  };
  const scheduleSettling = (): void => {
    cancel ??= clock.schedule(Math.max(SETTLE_MS, buckets.size), settle);
  };

  const share: RateShare = {
    id,
    buckets,
    add: (bucket) => {
      buckets.add(bucket);
      current.set(bucket, split().partOf(Number.POSITIVE_INFINITY));
      scheduleSettling();
    },
    remove: (bucket) => {
      buckets.delete(bucket);
      current.delete(bucket);
      if (buckets.size > 0) scheduleSettling();
    },
    rateOf: (bucket) => {
      const part = split().partOf(neededRate(bucket));
      current.set(bucket, part);
      scheduleSettling();
      const requestsPerS = part / amountOf(bucket);
      return { requestsPerS, burst: Math.max(1, requestsPerS * windowS * BURST_PART) };
    },
    stop: () => cancel?.(),
  };
  return share;
}
