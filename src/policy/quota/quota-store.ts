import type { WindowShape } from './window-shape.js';

/** Identifies a counter. */
export interface CounterId {
  /** Quota, window and dimensions, all from the configuration. */
  readonly group: string;
  /** Values of the dimensions, as a text of bounded length. */
  readonly key: string;
  /** The same for all counters of a group. */
  readonly shape: WindowShape;
}

/** The charge of a request to one counter. A request charges each counter once. */
export interface CounterCharge {
  readonly counter: CounterId;
  /** Whole, above 0, at most 2^53 - 1. */
  readonly amount: number;
  /**
   * Takes the rest when less than the amount is left. Such a charge is independent of the other charges of the request.
   */
  readonly bestEffort: boolean;
  /** Most that may be used per window. */
  readonly maxAmount: number;
  /** Whether the amount may be given back later. */
  readonly isRefundable?: boolean;
}

/** An amount to give back. */
export interface RefundCharge extends Pick<CounterCharge, 'amount' | 'maxAmount'> {
  /** Of the charge. */
  readonly ref: string;
  readonly shape: WindowShape;
}

export interface RefundRequest {
  /** Equal for all attempts to refund one request. */
  readonly id: string;
  readonly charges: readonly RefundCharge[];
}

/**
 * `refunded`: an amount counts no more. `used`: the request has been refunded before. `expired`: the amounts had stopped
 * to count. `limited`: a counter gives back at most its limit in a window.
 */
export type RefundOutcome = 'refunded' | 'used' | 'expired' | 'limited';

/** Gives amounts back. A store in this process answers without a promise. */
export interface RefundStore {
  /**
   * The same for all servers that share the store, and known to no other process.
   *
   * @throws PolicyTransportError when the store cannot be reached
   */
  refundSecret(): string | Promise<string>;
  /** @throws PolicyTransportError when the store cannot be reached */
  refund(request: RefundRequest): RefundOutcome | Promise<RefundOutcome>;
}

export interface StoreRequest {
  /** Equal for all attempts at one request; undefined for a request that is never repeated. */
  readonly repetitionKey: string | undefined;
  /** Either all charges that are not best-effort are made, or none. */
  readonly charges: readonly CounterCharge[];
  /** How long the caller waits. */
  readonly timeoutMs: number;
}

export interface ChargeResult {
  /** The available amount for this charge, whether it was taken or not. */
  readonly granted: number;
  /** False when no amount was taken: none was left, or another charge of the request was refused. */
  readonly isCharged: boolean;
  /**
   * How long the grant stays valid without being used, in milliseconds: until a fixed window ends, or for the length of
   * a rolling one.
   */
  readonly validMs: number;
  /** Until a retry can succeed, in milliseconds; missing after a full grant, and for amounts above the limit. */
  readonly retryAfterMs?: number;
  /** The amount that is left for other requests of the counter. */
  readonly left: number;
  /** Until an amount that counts now no longer counts: the end of a fixed window. In milliseconds. */
  readonly resetMs: number;
  /** Names the charged amount for a refund; missing where it is not refundable, or was not charged now. */
  readonly ref?: string;
  /** The number of counters of other keys that were evicted for this one while they still counted; missing for none. */
  readonly evicted?: number;
}

export interface StoreAnswer {
  /** In the order of the charges. */
  readonly results: readonly ChargeResult[];
  /** Whether this repeats the answer to an earlier attempt. Nothing was charged now. */
  readonly isRepetition: boolean;
}

/** A counter of a group, with the amount that counts now. */
export interface CounterUse {
  readonly key: string;
  readonly used: number;
}

/** The counters of a group that count something. */
export interface GroupUse {
  /** Those with the largest amounts, the largest first. */
  readonly largest: readonly CounterUse[];
  /** Their number; undefined if the store knows only some of them. */
  readonly counters: number | undefined;
}

/** An amount that a proxy may admit by itself. It counts as used from now on, until it is returned. */
export interface ReserveRequest {
  readonly counter: CounterId;
  /** Most that may be used per window. */
  readonly maxAmount: number;
  /** The part of an earlier reservation that is given back; 0 or more. */
  readonly returned: number;
  /** The bucket of that reservation, of its result. */
  readonly returnedFrom: number;
  /** 0 or more. Takes the rest when less is left. */
  readonly wanted: number;
}

export interface ReserveResult {
  /** At most what was wanted. */
  readonly granted: number;
  /** The rest, for other proxies. */
  readonly left: number;
  /** The bucket of the window (docs of WindowShape) in which the reservation counts. */
  readonly bucket: number;
  /** Until some amount counts no more, in milliseconds; missing when nothing is used. */
  readonly releaseMs?: number;
}

/** Keeps receipts for 60 s. A store in this process answers without a promise. */
export interface ReceiptStore {
  /** @param text of bounded length, from this server */
  keepReceipt(id: string, text: string): void | Promise<void>;
  /**
   * Returns the text once. A repeated attempt of the same taker gets it again.
   *
   * @param taker equal for all attempts at one request
   */
  takeReceipt(id: string, taker: string): string | undefined | Promise<string | undefined>;
}

/** Counts the use of quotas. */
export interface QuotaStore extends ReceiptStore, RefundStore {
  readonly type: 'memory' | 'redis';
  /**
   * Charges in one atomic step. A request that charged an amount gets the same answer when it is repeated within 60 s,
   * and is charged once.
   *
   * Rejects with PolicyTransportError when the result is unknown. A store in this process answers without a promise.
   */
  charge(request: StoreRequest): StoreAnswer | Promise<StoreAnswer>;
  /**
   * Returns what was not used of earlier reservations, and then reserves, in one atomic step.
   *
   * Rejects with PolicyTransportError when the result is unknown. A store in this process answers without a promise.
   */
  reserve(request: ReserveRequest): ReserveResult | Promise<ReserveResult>;
  /**
   * Counts the servers that have called this in the last 15 s. Missing for a store in this process.
   *
   * @param id of the calling server
   * @throws PolicyTransportError when the store cannot be reached
   */
  countServers?(id: string): Promise<number>;
  /**
   * The use of the counters of a group, without being a use of them. A shared store tells of those that this process has
   * charged lately; their amounts include those of other servers.
   *
   * @param most counters at most
   * @throws PolicyTransportError when the store cannot be reached
   */
  use(group: Omit<CounterId, 'key'>, most: number): GroupUse | Promise<GroupUse>;
  /** Forgets the amounts of a counter. @throws PolicyTransportError */
  reset(counter: Omit<CounterId, 'shape'>): void | Promise<void>;
  /** Drops the counters of other groups. */
  keepOnly(groups: ReadonlySet<string>): void;
  /** Whether charges can be made, as far as the store knows. */
  isUp(): boolean;
  /** Settles when running charges are answered and connections are closed. No charge may begin after the call. */
  close(): Promise<void>;
}
