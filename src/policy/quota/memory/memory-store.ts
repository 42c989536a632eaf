import { randomBytes } from 'node:crypto';
import type { Clock } from '../../../base/clock.js';
import type {
  ChargeResult,
  CounterCharge,
  QuotaStore,
  RefundOutcome,
  RefundRequest,
  ReserveRequest,
  ReserveResult,
  StoreAnswer,
  StoreRequest,
} from '../quota-store.js';
import { REFUND_MS } from '../refunds/refund-ticket.js';
import { bucketAt, releaseMs } from '../window-shape.js';
import { type CounterRoom, UNLIMITED_ROOM } from './counter-room.js';
import { createGroupTable } from './group-table.js';
import { createReceipts } from './receipts.js';
import { createRecentAnswers } from './recent-answers.js';
import { createRefundMarks } from './refund-marks.js';
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
  /** Requests for which memory is reserved at first. Default: `maxRepetitions`. */
  readonly firstRepetitions?: number;
  /** Counters that may be kept together with those of other stores. Default: no further limit. */
  readonly room?: CounterRoom;
}

type Writable<T> = { -readonly [Member in keyof T]: T[Member] };

const REPETITION_MS = 60_000;
const MAX_REPETITIONS = 65_536;

/**
 * Counts in this process. The time is the monotonic clock, set to the epoch when the store is created: it never goes
 * back when the system clock does.
 */
export function createMemoryStore(options: MemoryStoreOptions): QuotaStore {
  const { clock, maxCounters, maxRepetitions = MAX_REPETITIONS, firstRepetitions, room = UNLIMITED_ROOM } = options;
  const epochMs = clock.now().getTime() - clock.monotonicMs();
  const groups = createGroupTable(maxCounters, room);
  const answers = createRecentAnswers({
    clock,
    keptMs: REPETITION_MS,
    maxAnswers: maxRepetitions,
    ...(firstRepetitions !== undefined && { firstAnswers: firstRepetitions }),
  });
  const receipts = createReceipts({ clock, keptMs: REPETITION_MS, maxReceipts: maxRepetitions });
  const marks = createRefundMarks({ clock, keptMs: REFUND_MS, maxMarks: maxRepetitions });
  const secret = randomBytes(32).toString('base64url');
  const now = (): number => Math.floor(epochMs + clock.monotonicMs());

  const chargeNow = (request: StoreRequest): StoreAnswer => {
    const { repetitionKey, charges } = request;
    const known = repetitionKey === undefined ? undefined : answers.find(repetitionKey);
    if (known !== undefined) return { results: known, isRepetition: true };
    const nowMs = now();
    let isRefused = false;
    const assessed = charges.map((charge) => {
      const assessment = assessCharge(charge, groups.of(charge.counter).usageOf(charge.counter.key, nowMs), nowMs);
      if (!charge.bestEffort && assessment.granted < charge.amount) isRefused = true;
      return assessment;
    });
    let isAnyCharged = false;
    const results = charges.map((charge, at): ChargeResult => {
      const { granted = 0, validMs = 0, left = 0, resetMs = 0, retryAfterMs } = assessed[at] ?? {};
      const isCharged = granted > 0 && (charge.bestEffort || !isRefused);
      const evicted = isCharged ? groups.of(charge.counter).charge(charge.counter.key, granted, nowMs) : 0;
      isAnyCharged ||= isCharged;
      const result: Writable<ChargeResult> = { granted, isCharged, validMs, left, resetMs };
      if (isCharged) result.left -= granted;
      if (retryAfterMs !== undefined) result.retryAfterMs = retryAfterMs;
      if (evicted > 0) result.evicted = evicted;
      const ref = isCharged && charge.isRefundable ? groups.refOf(charge.counter) : undefined;
      if (ref !== undefined) result.ref = ref;
      return result;
    });
    if (repetitionKey !== undefined && isAnyCharged) answers.add(repetitionKey, results);
    return { results, isRepetition: false };
  };

  const reserveNow = (request: ReserveRequest): ReserveResult => {
    const { counter, maxAmount, returned, returnedFrom, wanted } = request;
    const { key, shape } = counter;
    const nowMs = now();
    const bucket = bucketAt(shape, nowMs);
    const group = groups.of(counter);
    group.usageOf(key, nowMs)?.remove(returned, returnedFrom);
    const left = Math.max(maxAmount - (group.usageOf(key, nowMs)?.total(bucket - shape.carried) ?? 0), 0);
    const granted = Math.min(wanted, left);
    if (granted > 0) group.charge(key, granted, nowMs);
    const oldest = group.usageOf(key, nowMs)?.oldest();
    const result = { granted, left: left - granted, bucket };
    return oldest === undefined ? result : { ...result, releaseMs: releaseMs(shape, oldest) - nowMs };
  };

  const refundNow = ({ id, charges }: RefundRequest): RefundOutcome => {
    if (!marks.mark(id)) return 'used';
    const nowMs = now();
    const outcomes = charges.map(({ ref, amount, maxAmount }) => groups.takeBack(ref, amount, maxAmount, nowMs));
    return outcomes.find((each) => each === 'refunded') ?? outcomes.find((each) => each === 'limited') ?? 'expired';
  };

  return {
    type: 'memory',
    charge: chargeNow,
    reserve: reserveNow,
    keepReceipt: receipts.keep,
    takeReceipt: receipts.take,
    refundSecret: () => secret,
    refund: refundNow,
    use: ({ group }, most) => groups.find(group)?.inUse(most, now()) ?? { largest: [], counters: 0 },
    reset: ({ group, key }) => groups.find(group)?.reset(key),
    keepOnly: groups.keepOnly,
    isUp: () => true,
    close: async () => groups.clear(),
  };
}

/** The grant of a charge, before any amount is taken. */
export interface Assessment {
  readonly granted: number;
  readonly validMs: number;
  /** Before any amount is taken. */
  readonly left: number;
  readonly resetMs: number;
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
  const resetMs = releaseMs(shape, usage?.oldest() ?? bucket) - nowMs;
  if (amount <= left) return { granted: amount, validMs, left, resetMs };
  const granted = bestEffort ? left : 0;
  const released = bestEffort
    ? nextRelease(usage, used, maxAmount, bucket)
    : amount > maxAmount
      ? undefined
      : usage?.lastAbove(maxAmount - amount);
  if (released === undefined) return { granted, validMs, left, resetMs };
  return { granted, validMs, left, resetMs, retryAfterMs: releaseMs(shape, released) - nowMs };
}

/** The bucket whose end releases at least one unit, after all remaining units are taken. */
function nextRelease(usage: Usage | undefined, used: number, maxAmount: number, bucket: number): number | undefined {
  if (maxAmount === 0) return undefined;
  return usage?.lastAbove(Math.min(used, maxAmount) - 1) ?? bucket;
}
