import { whenSettled } from '../../base/when-settled.js';
import type { QuotaLimit } from '../../config/policy-server/policy-server-config.js';
import type { AttributeBag } from '../client/attribute-bag.js';
import { PolicyTransportError, type QuotaParams, type QuotaResult } from '../client/policy-transport.js';
import type { ReferencedAttributes } from '../client/referenced-attributes.js';
import type { ReceiptUse } from '../handlers/policy-handler.js';
import type { PaidAmounts } from './charge-receipts.js';
import { type CompiledLimit, compileLimit, type ResolvedLimit } from './compile-limit.js';
import { sized } from './dimension-text.js';
import type { ReadKeyFile } from './known-keys.js';
import type { QuotaMetrics } from './quota-metrics.js';
import type { ChargeResult, CounterCharge, QuotaStore, StoreAnswer, StoreRequest } from './quota-store.js';
import { type QuotaUse, readQuotaUse, resetCounter } from './quota-use.js';
import type { QuotaShares } from './shares/quota-shares.js';
import { issueReceipt, paidBy } from './use-receipts.js';

export interface QuotaChargerOptions {
  readonly limits: readonly QuotaLimit[];
  readonly store: QuotaStore;
  readonly metrics: QuotaMetrics;
  /** Gets each quota that is charged and has no limit, once until the limits change. */
  readonly onUndefined?: (quota: string) => void;
  /** Whether another handler counts a quota, so that no limit is missing. Default: none does. */
  readonly isCountedElsewhere?: (quota: string) => boolean;
  /** Reads the key files of limits; without it, a limit with a key file is an error. */
  readonly readKeyFile?: ReadKeyFile;
  /** Gets the quota of each charge for which the store evicted a counter that still counted. */
  readonly onEvicted?: (quota: string) => void;
  /** Fast quotas, whose counters the store keeps too. */
  readonly shares?: Pick<QuotaShares, 'groups' | 'heldOf'>;
}

/** An amount of one quota. A request names each quota once. */
export interface QuotaDemand extends QuotaParams {
  readonly quota: string;
  /** The limit of a plan; absent: that of the configuration. The same object while the plan stays the same. */
  readonly limit?: QuotaLimit;
  /** Response codes after which the amount is given back; absent: never. */
  readonly refundCodes?: string;
}

/** A demand that a limit counted, or refused. */
export interface ChargedDemand {
  readonly demand: QuotaDemand;
  readonly limit: ResolvedLimit;
  readonly result: ChargeResult;
}

export interface QuotaChargeRequest {
  readonly attributes: AttributeBag;
  /** Equal for all attempts at one request; empty for a request that is not repeated. */
  readonly deduplicationId: string;
  readonly demands: readonly QuotaDemand[];
  /** How long the caller waits for the store, in milliseconds. */
  readonly timeoutMs: number;
  /** Missing for a request without receipts. */
  readonly receipt?: ReceiptUse | undefined;
  /** Whether counters of dry runs count, apart from the others and without metrics. Default false. */
  readonly isDryRun?: boolean;
}

export type QuotaOutcome =
  | {
      readonly type: 'counted';
      /** In the order of the demands. */
      readonly results: readonly QuotaResult[];
      /** The demands that the store was asked about, in their order. */
      readonly charged: readonly ChargedDemand[];
      readonly receipt?: string;
    }
  /** The quota has a list of keys, and the key of the request is not in it. No quota is charged. */
  | { readonly type: 'unknownKey'; readonly quota: string; readonly referencedAttributes: ReferencedAttributes };

/** Charges quotas by their limits. */
export interface QuotaCharger {
  /**
   * Charges all demands that are not best-effort, or none of them. A best-effort demand gets the amount that is left. A
   * quota without a limit is granted. Attempts with the same deduplication id and demands are charged once, also at the
   * same time. A request with a receipt is charged what the receipt does not cover. A store in this process answers
   * without a promise.
   *
   * @throws PolicyTransportError when the store cannot tell what was charged
   */
  charge(request: QuotaChargeRequest): QuotaOutcome | Promise<QuotaOutcome>;
  /**
   * Replaces the limits. Quotas that keep their window and dimensions keep their counters. Other counters are dropped.
   *
   * @throws Error when a key file cannot be read; the former limits stay
   */
  update(limits: readonly QuotaLimit[]): void;
  /** Replaces the limits of plans, which demands bring along: only their counters are kept. */
  usePlans(limits: readonly QuotaLimit[]): void;
  /** The live use of all quotas. @throws PolicyTransportError when the store cannot be reached */
  use(): Promise<readonly QuotaUse[]>;
  /** Sets a counter to zero. @returns false if the counter is none of those that `use` lists now */
  reset(quota: string, id: string): Promise<boolean>;
  /** Counts in another store from now on, from zero. The caller closes the former one. */
  useStore(store: QuotaStore): void;
}

const NOTHING_CHARGED: readonly ChargedDemand[] = [];
/** Names told as undefined: a remote caller can invent any number of them. */
const MAX_UNDEFINED_NAMES = 1000;

const NOT_COUNTED: readonly Limited[] = [];

/** The same limit, with a counter for dry runs. */
function ofDryRun(limit: ResolvedLimit): ResolvedLimit {
  const { counter } = limit;
  return { ...limit, counter: { ...counter, group: dryRunGroup(counter.group) } };
}

function dryRunGroup(group: string): string {
  return `dry run ${group}`;
}

/** A demand whose quota has a limit. */
interface Limited {
  /** Index of the demand. */
  readonly at: number;
  readonly demand: QuotaDemand;
  readonly limit: ResolvedLimit;
}

export function createQuotaCharger(options: QuotaChargerOptions): QuotaCharger {
  const { metrics, onUndefined, onEvicted, isCountedElsewhere, shares } = options;
  let store = options.store;
  const compile = (wanted: readonly QuotaLimit[]): ReadonlyMap<string, CompiledLimit> =>
    new Map(wanted.map((limit) => [limit.name, compileLimit(limit, options.readKeyFile)]));
  let limits = compile(options.limits);
  let configured = options.limits;
  let ofPlans: readonly QuotaLimit[] = [];
  const compiledOfPlans = new WeakMap<QuotaLimit, CompiledLimit>();
  const planLimit = (limit: QuotaLimit): CompiledLimit => {
    const known = compiledOfPlans.get(limit) ?? compileLimit(limit);
    compiledOfPlans.set(limit, known);
    return known;
  };
  let toldUndefined = new Set<string>();
  const inFlight = new Map<string, Promise<StoreAnswer>>();

  const parts = () => ({ store, metrics });

  const noteUndefined = (quota: string): void => {
    if (isCountedElsewhere?.(quota)) return;
    metrics.undefinedCharged();
    if (toldUndefined.has(quota) || toldUndefined.size >= MAX_UNDEFINED_NAMES) return;
    toldUndefined.add(quota);
    onUndefined?.(quota);
  };

  const countCharges = ({ results, isRepetition }: StoreAnswer, limited: readonly Limited[]): void => {
    if (isRepetition) return;
    for (let at = 0; at < results.length; at++) {
      const result = results[at];
      const demand = limited[at]?.demand;
      if (demand === undefined || result === undefined) continue;
      if (demand.limit === undefined) metrics.charged(demand.quota, demand.amount, result);
      else metrics.chargedPlan(demand.quota, demand.amount, result);
      if (result.evicted) onEvicted?.(demand.quota);
    }
  };

  const askStore = async (request: StoreRequest, limited: readonly Limited[]): Promise<StoreAnswer> => {
    const current = store;
    try {
      const answer = await current.charge(request);
      countCharges(answer, limited);
      return answer;
    } catch (error) {
      metrics.storeFailed(current.type, error);
      throw error;
    }
  };

  const chargeOnce = (request: StoreRequest, limited: readonly Limited[]): StoreAnswer | Promise<StoreAnswer> => {
    const { repetitionKey } = request;
    if (store.type === 'memory') {
      // A memory store answers before the next request is read, so that no repetition can come in between.
      const answer = store.charge(request);
      if (!(answer instanceof Promise)) countCharges(answer, limited);
      return answer;
    }
    if (repetitionKey === undefined) return askStore(request, limited);
    const pending = inFlight.get(repetitionKey);
    if (pending !== undefined) return pending;
    const answer = askStore(request, limited).finally(() => inFlight.delete(repetitionKey));
    inFlight.set(repetitionKey, answer);
    return answer;
  };

  const chargeRest = (request: QuotaChargeRequest, paid: PaidAmounts): QuotaOutcome | Promise<QuotaOutcome> => {
    const { attributes, deduplicationId, demands, timeoutMs, isDryRun = false } = request;
    const results: QuotaResult[] = [];
    const limited: Limited[] = [];
    const charges: CounterCharge[] = [];
    for (const demand of demands) {
      validateAmount(demand);
      const { quota, amount, bestEffort } = demand;
      const compiled = demand.limit === undefined ? limits.get(quota) : planLimit(demand.limit);
      const keys = compiled?.keys;
      if (keys !== undefined && !keys.has(attributes)) {
        if (!isDryRun) metrics.unknownKey(quota);
        return { type: 'unknownKey', quota, referencedAttributes: keys.referenced(attributes) };
      }
      const at = results.push({ grantedAmount: amount }) - 1;
      if (compiled === undefined) {
        noteUndefined(quota);
        continue;
      }
      const resolved = compiled.resolve(attributes);
      const limit = isDryRun ? ofDryRun(resolved) : resolved;
      const rest = paid.rest(quota, limit.counter, amount);
      if (rest === 0) continue;
      limited.push({ at, demand: rest === amount ? demand : { ...demand, amount: rest }, limit });
      const charge = { counter: limit.counter, amount: rest, bestEffort, maxAmount: limit.maxAmount };
      charges.push(demand.refundCodes === undefined ? charge : { ...charge, isRefundable: true });
    }
    if (limited.length === 0) return { type: 'counted', results, charged: NOTHING_CHARGED };
    const read = (answer: StoreAnswer): QuotaOutcome | Promise<QuotaOutcome> => {
      const charged: ChargedDemand[] = [];
      for (let index = 0; index < limited.length; index++) {
        const [result, asked] = [answer.results[index], limited[index]];
        if (result === undefined || asked === undefined) continue;
        const { at, demand, limit } = asked;
        results[at] = quotaResult(result, limit);
        charged.push({ demand, limit, result });
      }
      const quotas = limited.map(({ demand }) => demand.quota);
      const receipt = issueReceipt(request, answer, charges, quotas, parts());
      if (receipt === undefined) return { type: 'counted', results, charged };
      if (typeof receipt === 'string') return { type: 'counted', results, charged, receipt };
      return receipt.then((issued) => ({
        ...{ type: 'counted', results, charged },
        ...(issued !== undefined && { receipt: issued }),
      }));
    };
    const repetitionKey = deduplicationId === '' ? undefined : repetitionKeyOf(deduplicationId, charges);
    const answer = chargeOnce({ repetitionKey, charges, timeoutMs }, isDryRun ? NOT_COUNTED : limited);
    return whenSettled(answer, read);
  };

  const keepGroups = (): void => {
    const compiled = [...limits.values(), ...ofPlans.map(planLimit)];
    const groups = compiled.flatMap((limit) => limit.groups);
    store.keepOnly(new Set([...groups, ...groups.map(dryRunGroup), ...(shares?.groups ?? [])]));
  };

  return {
    charge: (request) => {
      const paid = paidBy(request, parts());
      return whenSettled(paid, (known) => chargeRest(request, known));
    },
    use: () => readQuotaUse([...configured, ...ofPlans], store, shares?.heldOf),
    reset: (quota, id) => resetCounter([...configured, ...ofPlans], store, quota, id),
    update: (changed) => {
      limits = compile(changed);
      configured = changed;
      toldUndefined = new Set();
      keepGroups();
    },
    usePlans: (changed) => {
      ofPlans = changed;
      keepGroups();
    },
    useStore: (other) => {
      store = other;
    },
  };
}

/** A remote caller can send amounts that the client library does not. */
function validateAmount({ quota, amount }: QuotaDemand): void {
  if (Number.isSafeInteger(amount) && amount > 0) return;
  const shown = quota.length > 100 ? `${quota.slice(0, 100)}…` : quota;
  throw new PolicyTransportError(
    'other',
    `Quota ${JSON.stringify(shown)} is charged ${amount}: use a whole number from 1 to ${Number.MAX_SAFE_INTEGER}`,
    { code: 'INVALID_ARGUMENT' },
  );
}

/** Names the charges too: a request that reuses the id of another one must not get the grants of that one. */
function repetitionKeyOf(deduplicationId: string, charges: readonly CounterCharge[]): string {
  let key = sized(deduplicationId);
  for (const { amount, bestEffort, counter } of charges) {
    key += `${amount}${bestEffort ? 'b' : 'e'}${sized(counter.group)}${sized(counter.key)}`;
  }
  return key;
}

function quotaResult({ granted, validMs, retryAfterMs }: ChargeResult, { referenced }: ResolvedLimit): QuotaResult {
  const result = { grantedAmount: granted, validDurationMs: validMs, referencedAttributes: referenced };
  return retryAfterMs === undefined ? result : Object.assign(result, { retryAfterMs });
}
