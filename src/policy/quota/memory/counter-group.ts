import { bucketAt, type WindowShape } from '../window-shape.js';
import { createSegmentedRecency, type Segmented } from './segmented-recency.js';
import { Usage } from './usage.js';

/** The counters of one group, by key. */
export interface CounterGroup {
  /**
   * What counts for the key now; undefined when nothing does. Counts as a use of the counter: a key at its limit whose
   * requests are refused stays among the keys in use. Read it before time moves on.
   */
  usageOf(key: string, nowMs: number): Usage | undefined;
  /** Charges the key; returns how many counters with amounts that still count were evicted for it: 0 or 1. */
  charge(key: string, amount: number, nowMs: number): number;
  /** Keys with a counter. */
  readonly size: number;
}

interface Counter extends Segmented<Counter> {
  readonly key: string;
  readonly usage: Usage;
}

/** Expired counters that a charge may clear away in each segment: more than it can add, so that they become fewer. */
const CLEARED_PER_CHARGE = 2;

/**
 * Counters of bounded number; a new key always gets one. Counters whose amounts count no more go first. When all count,
 * the counter goes that was used least recently, first among those that were used once: a flood of invented keys evicts
 * other invented keys, and no key that is in use. An evicted key begins again with its full limit.
 */
export function createCounterGroup(shape: WindowShape, maxCounters: number): CounterGroup {
  const counters = new Map<string, Counter>();
  const recency = createSegmentedRecency<Counter>(maxCounters);

  const drop = (counter: Counter): void => {
    recency.remove(counter);
    counters.delete(counter.key);
  };
  const clearExpired = (oldestBucket: number): void => {
    for (let cleared = 0; cleared < CLEARED_PER_CHARGE; cleared++) {
      for (const counter of recency.leastRecent()) {
        if (counter.usage.newest() < oldestBucket) drop(counter);
      }
    }
  };
  const makeRoom = (): number => {
    const [idlest] = recency.leastRecent();
    if (counters.size < maxCounters || idlest === undefined) return 0;
    drop(idlest);
    return 1;
  };

  return {
    usageOf: (key, nowMs) => {
      const counter = counters.get(key);
      if (counter === undefined) return undefined;
      recency.touch(counter);
      const { usage } = counter;
      return usage.total(bucketAt(shape, nowMs) - shape.carried) > 0 ? usage : undefined;
    },
    charge: (key, amount, nowMs) => {
      const bucket = bucketAt(shape, nowMs);
      const own = counters.get(key);
      own?.usage.add(bucket, amount);
      clearExpired(bucket - shape.carried);
      if (own !== undefined) return 0;
      const evicted = makeRoom();
      const counter: Counter = { key, usage: Usage.of(bucket, amount), isProven: false, link: undefined };
      recency.add(counter);
      counters.set(key, counter);
      return evicted;
    },
    get size() {
      return counters.size;
    },
  };
}
