import type { WindowShape } from './window-shape.js';

/** Identifies a counter. */
export interface CounterId {
  /** Quota, window and dimensions: what the counter means. Configuration alone decides about it. */
  readonly group: string;
  /** Values of the dimensions, as a text of bounded length. */
  readonly key: string;
  /** The same for all counters of a group. */
  readonly shape: WindowShape;
}

/** What a request takes from one counter. A request names no counter twice. */
export interface CounterCharge {
  readonly counter: CounterId;
  /** Whole, above 0, at most 2^53 - 1. */
  readonly amount: number;
  /** Takes what is left when that is less. Such a charge stands for itself: it neither hinders others nor needs them. */
  readonly bestEffort: boolean;
  /** Most that may be used per window. */
  readonly maxAmount: number;
}

export interface StoreRequest {
  /** Equal for repetitions of one request; undefined for a request that is never repeated. */
  readonly repetitionKey: string | undefined;
  /** All that are not best-effort are charged, or none of them. */
  readonly charges: readonly CounterCharge[];
  /** How long the caller waits. */
  readonly timeoutMs: number;
}

export interface ChargeResult {
  /** What there is for this charge, whether it was taken or not. */
  readonly granted: number;
  /** False when nothing was taken: there was nothing, or another charge of the request was refused. */
  readonly isCharged: boolean;
  /** How long what was granted may be kept unused: until a fixed window ends, for the length of a rolling one. */
  readonly validMs: number;
  /** Until asking again can help; missing when all was granted, and when more was asked for than there ever is. */
  readonly retryAfterMs?: number;
  /** Counters of other keys that were forgotten for this one while they still counted; missing for none. */
  readonly evicted?: number;
}

export interface StoreAnswer {
  /** In the order of the charges. */
  readonly results: readonly ChargeResult[];
  /** Whether this is what an earlier request of the same key was answered; nothing was charged now. */
  readonly isRepetition: boolean;
}

/** Counts what is used of quotas. */
export interface QuotaStore {
  readonly type: 'memory' | 'redis';
  /**
   * Charges in one step that no other request comes between. A request that charged something is answered the same when
   * it is repeated within 60 s, and charged once.
   *
   * Rejects with PolicyTransportError when that cannot be known. A store in this process answers without a promise.
   */
  charge(request: StoreRequest): StoreAnswer | Promise<StoreAnswer>;
  /** Forgets counters of groups that are no more. */
  keepOnly(groups: ReadonlySet<string>): void;
  /** Whether charges can be made, as far as is known. */
  isUp(): boolean;
  close(): Promise<void>;
}
