import type { Clock } from '../../../base/clock.js';
import type { BucketName } from '../../wire/quota-buckets.js';
import type { ResolvedLimit } from '../compile-limit.js';
import { sized } from '../dimension-text.js';
import { assignRate } from './assign-bucket.js';
import { topUpShare } from './move-tokens.js';
import { createRateShare, type RateShare } from './rate-share.js';
import type { ShareBucket, ShareCharge } from './share-bucket.js';
import type { ShareLimits } from './share-limits.js';
import { createWindowShare, type WindowShare, type WindowShareOptions } from './window-share.js';

/** The shares of all counters that buckets charge. A share lasts as long as it has buckets. */
export interface ShareTable {
  /** What a request of a bucket charges, and the quotas without a limit. */
  chargesOf(name: BucketName): { readonly charges: readonly ShareCharge[]; readonly unlimited: readonly string[] };
  add(bucket: ShareBucket): void;
  remove(bucket: ShareBucket): void;
  /** What buckets hold of the counters of a group, and have probably not used, by key of the counter. */
  heldOf(group: string): ReadonlyMap<string, number>;
  stop(): void;
}

export interface ShareTableOptions extends Pick<WindowShareOptions, 'store' | 'servers' | 'expectedProxies'> {
  readonly limits: ShareLimits;
  readonly clock: Clock;
  /** Gets failures of the store. */
  readonly onFailed: (error: unknown) => void;
}

/** Shorter windows are divided as rates: what was used in them is known too late. */
const MIN_WINDOW_MS = 60_000;

export function createShareTable(given: ShareTableOptions): ShareTable {
  const { limits, clock, onFailed } = given;
  const windows = new Map<string, WindowShare>();
  const rates = new Map<string, RateShare>();

  const options = {
    ...given,
    topUp: (share: WindowShare) => void topUpShare(share, clock.monotonicMs()).catch(onFailed),
    reassign: (bucket: ShareBucket) => {
      if (bucket.busy === undefined && bucket.assignment !== undefined)
        bucket.push(assignRate(bucket, clock.monotonicMs()));
    },
  };

  const windowOf = (id: string, limit: ResolvedLimit): WindowShare => {
    const share = windows.get(id) ?? createWindowShare({ ...options, id, limit });
    windows.set(id, share);
    return share;
  };
  const rateOf = (id: string, limit: ResolvedLimit): RateShare => {
    const share = rates.get(id) ?? createRateShare({ ...options, id, limit });
    rates.set(id, share);
    return share;
  };
  const chargeOf = (quota: string, amount: number, limit: ResolvedLimit): ShareCharge => {
    const { counter, maxAmount } = limit;
    const id = `${sized(counter.group)}${maxAmount} ${counter.key}`;
    return counter.shape.durationMs < MIN_WINDOW_MS
      ? { type: 'rate', quota, amount, share: rateOf(id, limit) }
      : { type: 'window', quota, amount, share: windowOf(id, limit) };
  };

  return {
    chargesOf: ({ purpose, dimensions }) => {
      const charges: ShareCharge[] = [];
      const unlimited: string[] = [];
      for (const [quota, amount] of purpose.type === 'quotas' ? purpose.charges : []) {
        const limit = limits.find(quota, dimensions);
        if (limit === undefined) unlimited.push(quota);
        else charges.push(chargeOf(quota, amount, limit));
      }
      return { charges, unlimited };
    },
    add: (bucket) => {
      for (const { share } of bucket.charges) share.add(bucket);
    },
    remove: (bucket) => {
      for (const { type, share } of bucket.charges) {
        share.remove(bucket);
        if (share.buckets.size > 0) continue;
        share.stop();
        (type === 'window' ? windows : rates).delete(share.id);
      }
    },
    heldOf: (group) => {
      const held = new Map<string, number>();
      for (const { counter, held: amount } of windows.values()) {
        if (counter.group === group) held.set(counter.key, (held.get(counter.key) ?? 0) + amount());
      }
      return held;
    },
    stop: () => {
      for (const share of [...windows.values(), ...rates.values()]) share.stop();
    },
  };
}
