import type { Clock } from '../../../base/clock.js';
import type {
  ChargeResult,
  CounterCharge,
  CounterId,
  QuotaStore,
  ReserveRequest,
  ReserveResult,
  StoreAnswer,
  StoreRequest,
} from '../quota-store.js';
import { bucketAt, releaseMs } from '../window-shape.js';
import { type CounterGroup, createCounterGroup } from './counter-group.js';
import { createReceipts } from './receipts.js';
import { createRecentAnswers } from './recent-answers.js';
import type { Usage } from './usage.js';

export interface MemoryStoreOptions {
  readonly clock: Clock;
  /** Counters of a group at most; a further key evicts the counter that was used least recently. */
  readonly maxCounters: number;
  /**
   * The number of requests whose repetition is recognized, and of receipts that are kept; older ones are forgotten, and
   * their requests are charged again. 65,536 unless given.
   */
  readonly maxRepetitions?: number;
}

type Writable<T> = { -readonly [Member in keyof T]: T[Member] };

const REPETITION_MS = 60_000;
const MAX_REPETITIONS = 65_536;

/**
 * Counts in this process. The time is the monotonic clock, set to the epoch when the store is created: it never goes
 * back when the system clock does.
 */
export function createMemoryStore(options: MemoryStoreOptions): QuotaStore {
  const { clock, maxCounters, maxRepetitions = MAX_REPETITIONS } = options;
  const epochMs = clock.now().getTime() - clock.monotonicMs();
  const groups = new Map<string, CounterGroup>();
  const answers = createRecentAnswers({ clock, keptMs: REPETITION_MS, maxAnswers: maxRepetitions });
  const receipts = createReceipts({ clock, keptMs: REPETITION_MS, maxReceipts: maxRepetitions });

  const groupOf = ({ counter: { group, shape } }: { readonly counter: CounterId }): CounterGroup => {
    const known = groups.get(group);
    if (known !== undefined) return known;
    const created = createCounterGroup(shape, maxCounters);
    groups.set(group, created);
    return created;
  };

  const chargeNow = (request: StoreRequest): StoreAnswer => {
    const { repetitionKey, charges } = request;
    const known = repetitionKey === undefined ? undefined : answers.find(repetitionKey);
    if (known !== undefined) return { results: known, isRepetition: true };
    const nowMs = Math.floor(epochMs + clock.monotonicMs());
    let isRefused = false;
    const assessed = charges.map((charge) => {
      const assessment = assessCharge(charge, groupOf(charge).usageOf(charge.counter.key, nowMs), nowMs);
      if (!charge.bestEffort && assessment.granted < charge.amount) isRefused = true;
      return assessment;
    });
    let isAnyCharged = false;
    const results = charges.map((charge, at): ChargeResult => {
      const { granted = 0, validMs = 0, retryAfterMs } = assessed[at] ?? {};
      const isCharged = granted > 0 && (charge.bestEffort || !isRefused);
      const evicted = isCharged ? groupOf(charge).charge(charge.counter.key, granted, nowMs) : 0;
      isAnyCharged ||= isCharged;
      const result: Writable<ChargeResult> = { granted, isCharged, validMs };
      if (retryAfterMs !== undefined) result.retryAfterMs = retryAfterMs;
      if (evicted > 0) result.evicted = evicted;
      return result;
    });
    if (repetitionKey !== undefined && isAnyCharged) answers.add(repetitionKey, results);
    return { results, isRepetition: false };
  };

  const reserveNow = (request: ReserveRequest): ReserveResult => {
    const { counter, maxAmount, returned, returnedFrom, wanted } = request;
    const { key, shape } = counter;
    const nowMs = Math.floor(epochMs + clock.monotonicMs());
    const bucket = bucketAt(shape, nowMs);
    const group = groupOf(request);
    group.usageOf(key, nowMs)?.remove(returned, returnedFrom);
    const left = Math.max(maxAmount - (group.usageOf(key, nowMs)?.total(bucket - shape.carried) ?? 0), 0);
    const granted = Math.min(wanted, left);
    if (granted > 0) group.charge(key, granted, nowMs);
    const oldest = group.usageOf(key, nowMs)?.oldest();
    const result = { granted, left: left - granted, bucket };
    return oldest === undefined ? result : { ...result, releaseMs: releaseMs(shape, oldest) - nowMs };
  };

  return {
    type: 'memory',
    charge: chargeNow,
    reserve: reserveNow,
    keepReceipt: receipts.keep,
    takeReceipt: receipts.take,
    use: ({ group }, most) =>
      groups.get(group)?.inUse(most, Math.floor(epochMs + clock.monotonicMs())) ?? { largest: [], counters: 0 },
    reset: ({ group, key }) => groups.get(group)?.reset(key),
    keepOnly: (kept) => {
      for (const group of groups.keys()) {
        if (!kept.has(group)) groups.delete(group);
      }
    },
    isUp: () => true,
    close: async () => groups.clear(),
  };
}

/** The grant of a charge, before any amount is taken. */
export interface Assessment {
  readonly granted: number;
  readonly validMs: number;
  readonly retryAfterMs?: number;
}

/** @param usage the counted amounts of the key; undefined without any */
function assessCharge(charge: CounterCharge, usage: Usage | undefined, nowMs: number): Assessment {
  const { amount, bestEffort, maxAmount } = charge;
  const { shape } = charge.counter;
  const bucket = bucketAt(shape, nowMs);
  const used = usage?.total(bucket - shape.carried) ?? 0;
  const left = Math.max(maxAmount - used, 0);
  const validMs = shape.carried > 0 ? shape.durationMs : releaseMs(shape, bucket) - nowMs;
  if (amount <= left) return { granted: amount, validMs };
  const granted = bestEffort ? left : 0;
  const released = bestEffort
    ? nextRelease(usage, used, maxAmount, bucket)
    : amount > maxAmount
      ? undefined
      : usage?.lastAbove(maxAmount - amount);
  if (released === undefined) return { granted, validMs };
  return { granted, validMs, retryAfterMs: releaseMs(shape, released) - nowMs };
}

/** The bucket whose end releases at least one unit, after all remaining units are taken. */
function nextRelease(usage: Usage | undefined, used: number, maxAmount: number, bucket: number): number | undefined {
  if (maxAmount === 0) return undefined;
  return usage?.lastAbove(Math.min(used, maxAmount) - 1) ?? bucket;
}
