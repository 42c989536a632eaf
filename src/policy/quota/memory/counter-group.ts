import { firstSorted } from '../../../base/first-sorted.js';
import type { CounterUse, GroupUse } from '../quota-store.js';
import { bucketAt, type WindowShape } from '../window-shape.js';
import { type CounterRoom, UNLIMITED_ROOM } from './counter-room.js';
import { createSegmentedRecency, type Segmented } from './segmented-recency.js';
import { Usage } from './usage.js';

/** The counters of one group, by key. */
export interface CounterGroup {
  /**
   * The counted amounts of the key; undefined without any. The call counts as a use of the counter, so that a key at
   * its limit, whose requests are refused, stays in use. Read the result before the time changes.
   */
  usageOf(key: string, nowMs: number): Usage | undefined;
  /** Charges the key; returns how many counters with amounts that still count were evicted for it: 0 or 1. */
  charge(key: string, amount: number, nowMs: number): number;
  /** Names the newest bucket of the key, for `takeBack`; undefined without a counter. */
  refOf(key: string): string | undefined;
  /**
   * Takes back an amount of a charge. A counter gives back at most `maxAmount` in a window.
   *
   * @param ref of `refOf`, at the time of the charge
   */
  takeBack(ref: string, amount: number, maxAmount: number, nowMs: number): 'refunded' | 'limited' | 'expired';
  /** The counters that count something. The call is no use of them. */
  inUse(most: number, nowMs: number): GroupUse;
  /** Forgets the amounts of the key. */
  reset(key: string): void;
  /** Gives the room of its counters back. The group is not used afterwards. */
  discard(): void;
  /** Keys with a counter. */
  readonly size: number;
}

interface Counter extends Segmented<Counter> {
  readonly key: string;
  readonly usage: Usage;
  /** Whether it took room. The first counter of a group needs none. */
  readonly hasRoom: boolean;
  /** Names the counter in refs; undefined until it has one. */
  number: number | undefined;
  /** Amounts that were taken back, by the time when they were. */
  refunded: Usage | undefined;
}

/**
 * The number of expired counters that a charge removes in each segment: more than it adds, so that their number falls.
 */
const CLEARED_PER_CHARGE = 2;

/**
 * A bounded number of counters; a new key always gets one. Expired counters are evicted first, then the least recently
 * used counter, first among those that were used once: a flood of invented keys evicts other invented keys, and no key
 * in use. An evicted key starts again with its full limit.
 *
 * @param room shared with other groups; without room left, the group evicts a counter of its own
 */
export function createCounterGroup(
  shape: WindowShape,
  maxCounters: number,
  room: CounterRoom = UNLIMITED_ROOM,
): CounterGroup {
  const counters = new Map<string, Counter>();
  const recency = createSegmentedRecency<Counter>(maxCounters);
  /** Counters that refs name. */
  const numbered = new Map<number, Counter>();
  let numbers = 0;
  /** Counters with room of their own. */
  let roomTaken = 0;

  const drop = (counter: Counter): void => {
    recency.remove(counter);
    counters.delete(counter.key);
    if (counter.hasRoom) {
      roomTaken--;
      room.release(1);
    }
    if (counter.number !== undefined) numbered.delete(counter.number);
  };
  const clearExpired = (oldestBucket: number): void => {
    for (let cleared = 0; cleared < CLEARED_PER_CHARGE; cleared++) {
      for (const counter of recency.leastRecent()) {
        if (counter.usage.newest() < oldestBucket) drop(counter);
      }
    }
  };
  /** Takes room for a new counter, and evicts another one if there is none. */
  const makeRoom = (): { readonly evicted: number; readonly hasRoom: boolean } => {
    const [idlest] = recency.leastRecent();
    if (idlest === undefined || (counters.size < maxCounters && room.take())) {
      return { evicted: 0, hasRoom: idlest !== undefined };
    }
    drop(idlest);
    return { evicted: 1, hasRoom: counters.size > 0 && room.take() };
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
      const { evicted, hasRoom } = makeRoom();
      const usage = Usage.of(bucket, amount);
      const counter: Counter = {
        key,
        usage,
        hasRoom,
        number: undefined,
        refunded: undefined,
        isProven: false,
        link: undefined,
      };
      if (hasRoom) roomTaken++;
      recency.add(counter);
      counters.set(key, counter);
      return evicted;
    },
    refOf: (key) => {
      const counter = counters.get(key);
      if (counter === undefined) return undefined;
      counter.number ??= ++numbers;
      numbered.set(counter.number, counter);
      return `${counter.number}:${counter.usage.newest()}`;
    },
    takeBack: (ref, amount, maxAmount, nowMs) => {
      const [number, bucket = Number.NaN] = ref.split(':').map(Number);
      const counter = numbered.get(number ?? 0);
      const now = bucketAt(shape, nowMs);
      const oldest = now - shape.carried;
      if (counter === undefined || !(bucket >= oldest)) return 'expired';
      if ((counter.refunded?.total(oldest) ?? 0) + amount > maxAmount) return 'limited';
      counter.usage.takeBack(bucket, amount);
      if (counter.refunded === undefined) counter.refunded = Usage.of(now, amount);
      else counter.refunded.add(now, amount);
      return 'refunded';
    },
    inUse: (most, nowMs) => {
      const oldest = bucketAt(shape, nowMs) - shape.carried;
      const used: CounterUse[] = [];
      for (const { key, usage } of counters.values()) {
        const amount = usage.total(oldest);
        if (amount > 0) used.push({ key, used: amount });
      }
      return {
        largest: firstSorted(used, most, (first, second) => second.used - first.used),
        counters: used.length,
      };
    },
    reset: (key) => {
      const counter = counters.get(key);
      if (counter !== undefined) drop(counter);
    },
    discard: () => {
      room.release(roomTaken);
      roomTaken = 0;
      counters.clear();
    },
    get size() {
      return counters.size;
    },
  };
}
