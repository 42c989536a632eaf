import type { QuotaLimit } from '../../config/policy-server/policy-server-config.js';
import { OK_STATUS } from '../client/policy-status.js';
import {
  type CheckResponse,
  type PolicyTransport,
  PolicyTransportError,
  type PreconditionResult,
  type QuotaParams,
  type QuotaResult,
} from '../client/policy-transport.js';
import type { ReferencedAttributes } from '../client/referenced-attributes.js';
import { sized } from './bounded-text.js';
import { type CompiledLimit, compileLimit, type ResolvedLimit } from './compile-limit.js';
import type { ReadKeyFile } from './known-keys.js';
import type { QuotaMetrics } from './quota-metrics.js';
import type { ChargeResult, CounterCharge, QuotaStore, StoreAnswer, StoreRequest } from './quota-store.js';

export interface QuotaBackendOptions {
  readonly limits: readonly QuotaLimit[];
  readonly store: QuotaStore;
  readonly metrics: QuotaMetrics;
  /** Told once per name, until the limits change, of quotas that are charged and have no limit. */
  readonly onUndefined?: (quota: string) => void;
  /** For limits with lists of keys in files; without it those cannot be used. */
  readonly readKeyFile?: ReadKeyFile;
  /** Told of each charge that made the store forget a counter that still counted. */
  readonly onEvicted?: (quota: string) => void;
}

/** Counts quotas in this process, or in a store of its own. */
export interface QuotaBackend extends PolicyTransport {
  /**
   * Changes the limits. What was used of quotas whose window and dimensions stay counts against a changed amount;
   * quotas that are no more are forgotten.
   */
  update(limits: readonly QuotaLimit[]): void;
  /** Counts from now on in another store, and forgets what was used. The caller closes the former one. */
  useStore(store: QuotaStore): void;
}

/** It denies nothing but quotas, so that this holds for every request. */
const ALLOWED: PreconditionResult = {
  status: OK_STATUS,
  validDurationMs: 60_000,
  validUseCount: -1,
  referencedAttributes: [],
};

/** Names told as undefined; a remote caller may send any. */
const MAX_UNDEFINED_NAMES = 1000;

interface Asked {
  readonly quota: string;
  readonly params: QuotaParams;
  readonly limit: ResolvedLimit;
}

/**
 * Makes a transport for the client library that answers by itself (DESIGN 6).
 *
 * `check` charges all quotas of a request that are asked for all or nothing, or none of them, and answers for each what
 * there is; best-effort ones get what is left. A quota without a limit is granted. It rejects with PolicyTransportError
 * when the store cannot say what was charged, so that the fail policy decides; requests that are repeated, also at the
 * same time, are charged once. `report` takes nothing: whoever serves proxies deals with reports itself.
 */
export function createQuotaBackend(options: QuotaBackendOptions): QuotaBackend {
  const { metrics, onUndefined, onEvicted } = options;
  let store = options.store;
  const compile = (wanted: readonly QuotaLimit[]): ReadonlyMap<string, CompiledLimit> =>
    new Map(wanted.map((limit) => [limit.name, compileLimit(limit, options.readKeyFile)]));
  let limits = compile(options.limits);
  let toldUndefined = new Set<string>();
  const inFlight = new Map<string, Promise<StoreAnswer>>();

  const noteUndefined = (quota: string): void => {
    metrics.undefinedCharged();
    if (toldUndefined.has(quota) || toldUndefined.size >= MAX_UNDEFINED_NAMES) return;
    toldUndefined.add(quota);
    onUndefined?.(quota);
  };

  const countCharges = ({ results, isRepetition }: StoreAnswer, asked: readonly Asked[]): void => {
    if (isRepetition) return;
    for (let at = 0; at < results.length; at++) {
      const result = results[at];
      const charged = asked[at];
      if (charged === undefined || result === undefined) continue;
      metrics.charged(charged.quota, charged.params.amount, result);
      if (result.evicted) onEvicted?.(charged.quota);
    }
  };

  const askStore = async (request: StoreRequest, asked: readonly Asked[]): Promise<StoreAnswer> => {
    const current = store;
    try {
      const answer = await current.charge(request);
      countCharges(answer, asked);
      return answer;
    } catch (error) {
      metrics.storeFailed(current.type, error);
      throw error;
    }
  };

  const chargeOnce = (request: StoreRequest, asked: readonly Asked[]): StoreAnswer | Promise<StoreAnswer> => {
    const { repetitionKey } = request;
    if (store.type === 'memory') {
      // Memory is charged at once: no request can be repeated before its first answer is known.
      const answer = store.charge(request);
      if (!(answer instanceof Promise)) countCharges(answer, asked);
      return answer;
    }
    if (repetitionKey === undefined) return askStore(request, asked);
    const pending = inFlight.get(repetitionKey);
    if (pending !== undefined) return pending;
    const answer = askStore(request, asked).finally(() => inFlight.delete(repetitionKey));
    inFlight.set(repetitionKey, answer);
    return answer;
  };

  return {
    check: ({ attributes, deduplicationId, quotas }, { timeoutMs }): CheckResponse | Promise<CheckResponse> => {
      const answers = new Map<string, QuotaResult>();
      const asked: Asked[] = [];
      const charges: CounterCharge[] = [];
      for (const [quota, params] of quotas) {
        validateAmount(quota, params);
        const compiled = limits.get(quota);
        const keys = compiled?.keys;
        if (keys !== undefined && !keys.has(attributes)) {
          metrics.unknownKey(quota);
          return unknownKey(quota, keys.referenced(attributes));
        }
        const limit = compiled?.resolve(attributes);
        if (limit === undefined) {
          noteUndefined(quota);
          answers.set(quota, { grantedAmount: params.amount });
          continue;
        }
        asked.push({ quota, params, limit });
        const { counter, maxAmount } = limit;
        charges.push({ counter, amount: params.amount, bestEffort: params.bestEffort, maxAmount });
      }
      if (asked.length === 0) return { precondition: ALLOWED, quotas: answers };
      const respond = ({ results }: StoreAnswer): CheckResponse => {
        for (let at = 0; at < asked.length; at++) {
          const result = results[at];
          const one = asked[at];
          if (one !== undefined && result !== undefined) answers.set(one.quota, answerOf(result, one.limit));
        }
        return { precondition: ALLOWED, quotas: answers };
      };
      const repetitionKey = deduplicationId === '' ? undefined : repetitionKeyOf(deduplicationId, charges);
      const answer = chargeOnce({ repetitionKey, charges, timeoutMs }, asked);
      return answer instanceof Promise ? answer.then(respond) : respond(answer);
    },
    report: async () => {},
    update: (changed) => {
      limits = compile(changed);
      toldUndefined = new Set();
      store.keepOnly(new Set([...limits.values()].flatMap(({ groups }) => groups)));
    },
    useStore: (other) => {
      store = other;
    },
  };
}

/** How long a client may refuse the same key by itself: a key that is added counts after that. */
const UNKNOWN_KEY_MS = 5000;

/** Refuses a request whose key is none of the quota's, before anything is counted. The key itself is not repeated. */
function unknownKey(quota: string, referencedAttributes: ReferencedAttributes): CheckResponse {
  const names = referencedAttributes.map(({ name, mapKey }) => (mapKey === undefined ? name : `${name}[${mapKey}]`));
  const message = `The key of the request (${names.join(', ')}) is not known for quota: ${quota}`;
  return {
    precondition: {
      status: { code: 'PERMISSION_DENIED', message },
      validDurationMs: UNKNOWN_KEY_MS,
      validUseCount: -1,
      referencedAttributes,
    },
    quotas: new Map(),
  };
}

/** What a remote caller sends is not what the client library would. */
function validateAmount(quota: string, { amount }: QuotaParams): void {
  if (Number.isSafeInteger(amount) && amount > 0) return;
  const shown = quota.length > 100 ? `${quota.slice(0, 100)}…` : quota;
  throw new PolicyTransportError(
    'other',
    `Quota ${JSON.stringify(shown)} is charged ${amount}: use a whole number from 1 to ${Number.MAX_SAFE_INTEGER}`,
    { code: 'INVALID_ARGUMENT' },
  );
}

/**
 * A repetition is of the same charges too: an id that is used again for something else must not get what was granted to
 * others.
 */
function repetitionKeyOf(deduplicationId: string, charges: readonly CounterCharge[]): string {
  let key = sized(deduplicationId);
  for (const { amount, bestEffort, counter } of charges) {
    key += `${amount}${bestEffort ? 'b' : 'e'}${sized(counter.group)}${sized(counter.key)}`;
  }
  return key;
}

function answerOf({ granted, validMs, retryAfterMs }: ChargeResult, { referenced }: ResolvedLimit): QuotaResult {
  const result = { grantedAmount: granted, validDurationMs: validMs, referencedAttributes: referenced };
  return retryAfterMs === undefined ? result : Object.assign(result, { retryAfterMs });
}
