import { createRecencyList, type RecencyLink } from '../../client/recency-list.js';
import { bucketAt, type WindowShape } from '../window-shape.js';
import { Usage } from './usage.js';

/** The counters of one group, by key. */
export interface CounterGroup {
  /** What counts for the key now; undefined when nothing was ever used. Read it before time moves on. */
  usageOf(key: string, nowMs: number): Usage | undefined;
  /** Charges the key; returns whether that went to the shared counter. */
  charge(key: string, amount: number, nowMs: number): boolean;
  /** Keys with a counter of their own. */
  readonly size: number;
}

interface Counter {
  readonly key: string;
  readonly usage: Usage;
}

/** Expired counters that a charge may clear away: more than it can add, so that they become fewer. */
const CLEARED_PER_CHARGE = 2;

/**
 * Counters of bounded number. A counter whose amounts count no more is dropped, one that counts never is: else callers
 * with ever new keys could drive out the counter of one that is at its limit.
 *
 * When all counters count, further keys share one, under each one's own limit. So no key ever gets more than its limit,
 * keys that are counted already notice nothing, and memory stays bounded; keys that share get less between them. When
 * there is room again a new counter starts with what is in the shared one, because the key may have used that.
 */
export function createCounterGroup(shape: WindowShape, maxCounters: number): CounterGroup {
  const counters = new Map<string, RecencyLink<Counter>>();
  // By last charge, which is the order in which they expire: all counters of a group have the same window.
  const byLastCharge = createRecencyList<Counter>();
  const shared = Usage.none();

  const clearExpired = (oldestBucket: number): void => {
    for (let cleared = 0; cleared < CLEARED_PER_CHARGE; cleared++) {
      const link = byLastCharge.oldest();
      if (link === undefined || link.item.usage.newest() >= oldestBucket) return;
      byLastCharge.remove(link);
      counters.delete(link.item.key);
    }
  };

  return {
    usageOf: (key, nowMs) => {
      const usage = counters.get(key)?.item.usage ?? shared;
      return usage.total(bucketAt(shape, nowMs) - shape.carried) > 0 ? usage : undefined;
    },
    charge: (key, amount, nowMs) => {
      const bucket = bucketAt(shape, nowMs);
      const own = counters.get(key);
      if (own !== undefined) {
        own.item.usage.add(bucket, amount);
        byLastCharge.touch(own);
        clearExpired(bucket - shape.carried);
        return false;
      }
      clearExpired(bucket - shape.carried);
      if (counters.size >= maxCounters) {
        shared.add(bucket, amount);
        return true;
      }
      const usage = shared.total(bucket - shape.carried) > 0 ? shared.copy() : undefined;
      usage?.add(bucket, amount);
      counters.set(key, byLastCharge.add({ key, usage: usage ?? Usage.of(bucket, amount) }));
      return false;
    },
    get size() {
      return counters.size;
    },
  };
}
