import type { Clock } from '../../../base/clock.js';
import type { ResolvedLimit } from '../compile-limit.js';
import type { QuotaStore, ReserveResult } from '../quota-store.js';
import { bucketAt, releaseMs } from '../window-shape.js';
import { type FairSplit, splitFairly } from './fair-split.js';
import { createKnownSplit } from './known-split.js';
import { neededTokens, REPORT_INTERVAL_S, type ShareBucket, unusedTokens } from './share-bucket.js';

/** The amount of one limit in a window, of which buckets get parts in advance. */
export interface WindowShare {
  readonly id: string;
  readonly counter: ResolvedLimit['counter'];
  readonly buckets: ReadonlySet<ShareBucket>;
  add(bucket: ShareBucket): void;
  remove(bucket: ShareBucket): void;
  /** The requests that a bucket may have in all until its next report, for a fair division of what is left. */
  tokensFor(bucket: ShareBucket): number;
  /**
   * Takes an amount from the counter, and gives one back.
   *
   * @param reservedIn the bucket of the window of what is given back
   * @throws PolicyTransportError
   */
  reserve(wanted: number, returned: number, reservedIn: number): Promise<ReserveResult>;
  /** Whether amounts that were reserved then count no more, so that none of them can be given back. */
  isOver(reservedMs: number): boolean;
  /** Whether the counter had something left lately. */
  hasLeft(): boolean;
  /** What buckets hold and have probably not used. */
  held(): number;
  /** A bucket got less than it needs: the share tops it up when the counter has more. */
  wait(releaseMs: number | undefined): void;
  stop(): void;
}

export interface WindowShareOptions {
  readonly id: string;
  readonly limit: ResolvedLimit;
  readonly store: QuotaStore;
  /** Policy servers that serve proxies with fast quotas, this one too. */
  readonly servers: () => number;
  /** Proxies that serve what the limit is charged for: those without a bucket may need one soon. */
  readonly expectedProxies: (bucket: ShareBucket) => number;
  readonly clock: Clock;
  /** Divides what the counter has again among buckets that need more. */
  readonly topUp: (share: WindowShare) => void;
}

/** Amounts that are released shortly after one another are handed out together. */
const MIN_TOP_UP_MS = 1000;
/** How long a limit that was not used before waits for the proxies that did not report yet. */
const EXPECTING_MS = REPORT_INTERVAL_S * 1000;

export function createWindowShare(options: WindowShareOptions): WindowShare {
  const { id, limit, store, servers, expectedProxies, clock, topUp } = options;
  const { maxAmount, counter } = limit;
  const startMs = clock.monotonicMs();
  const buckets = new Set<ShareBucket>();
  /** Servers without a common store divide the amount, and others leave each other parts of what is left. */
  const isCommon = store.type === 'redis';
  const ownAmount = (): number => (isCommon ? maxAmount : Math.floor(maxAmount / servers()));
  /** What the counter had after the last reservation. */
  let left = ownAmount();
  let cancel: (() => void) | undefined;

  const amountOf = ({ charges }: ShareBucket): number => charges.find(({ share: of }) => of === share)?.amount ?? 1;

  const divide = (): FairSplit => {
    const nowMs = clock.monotonicMs();
    let pool = isCommon ? left / servers() : left;
    const needs: number[] = [];
    for (const bucket of buckets) {
      const amount = amountOf(bucket);
      pool += unusedTokens(bucket, nowMs) * amount;
      needs.push(neededTokens(bucket) * amount);
    }
    const [first] = buckets;
    const expected = first === undefined || nowMs - startMs >= EXPECTING_MS ? 0 : expectedProxies(first);
    while (needs.length < expected) needs.push(Number.POSITIVE_INFINITY);
    return splitFairly(pool, needs);
  };
  const split = createKnownSplit(clock, () => buckets.size, divide);

  const share: WindowShare = {
    id,
    counter,
    buckets,
    add: (bucket) => void buckets.add(bucket),
    remove: (bucket) => void buckets.delete(bucket),
    hasLeft: () => left > 0,
    held: () => {
      const nowMs = clock.monotonicMs();
      return [...buckets].reduce((sum, each) => sum + unusedTokens(each, nowMs) * amountOf(each), 0);
    },
    tokensFor: (bucket) => {
      const amount = amountOf(bucket);
      return Math.floor(split().partOf(neededTokens(bucket) * amount) / amount);
    },
    reserve: async (wanted, returned, returnedFrom) => {
      const result = await store.reserve({ counter, maxAmount: ownAmount(), wanted, returned, returnedFrom });
      left = result.left;
      return result;
    },
    isOver: (reservedMs) => {
      const { shape } = counter;
      const nowMs = clock.now().getTime();
      const thenMs = nowMs - (clock.monotonicMs() - reservedMs);
      return releaseMs(shape, bucketAt(shape, Math.floor(thenMs))) <= nowMs;
    },
    wait: (releaseInMs) => {
      if (releaseInMs === undefined) return;
      cancel ??= clock.schedule(Math.max(releaseInMs, MIN_TOP_UP_MS, buckets.size), () => {
        cancel = undefined;
        topUp(share);
      });
    },
    stop: () => cancel?.(),
  };
  return share;
}
