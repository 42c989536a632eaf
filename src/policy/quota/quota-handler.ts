import type { CheckDecision } from '../client/check-flow.js';
import { OK_STATUS } from '../client/policy-status.js';
import { type CheckResponse, PolicyTransportError, type PreconditionResult } from '../client/policy-transport.js';
import { addUpCharges } from '../client/quota-charges.js';
import type { NetworkFailPolicyConfig } from '../client/transport-config.js';
import { ALLOWED, type PolicyHandler } from '../handlers/policy-handler.js';
import {
  createQuotaCharger,
  type QuotaCharger,
  type QuotaChargerOptions,
  type QuotaDemand,
  type QuotaOutcome,
} from './charge-quotas.js';

/** Counts quotas in this process or in a separate store. */
export interface QuotaHandler extends PolicyHandler, Pick<QuotaCharger, 'update' | 'useStore' | 'use' | 'reset'> {}

/** Longest wait for the store, in milliseconds. The store's own limit (`storage.timeout`) is usually shorter. */
const STORE_TIMEOUT_MS = 5000;
/** How long a client may refuse the same key from its cache: a key that is added to the list works after that. */
const UNKNOWN_KEY_MS = 5000;

/** Holds for every request, because the handler refuses only by quota. */
const PASSED: PreconditionResult = {
  status: OK_STATUS,
  validDurationMs: 60_000,
  validUseCount: -1,
  referencedAttributes: [],
};

/**
 * The handler that counts quotas. With counters in memory it decides without timers, retries and promises. When the
 * store cannot count, the fail policy decides. The handler takes no reports.
 */
export function createQuotaHandler(options: QuotaChargerOptions): QuotaHandler {
  const charger = createQuotaCharger(options);
  let { store } = options;
  return {
    name: 'quota',
    check: ({ attributes, quotas, deduplicationId = '', failPolicy, receipt }) => {
      const demands = demandsOf(addUpCharges(quotas));
      if (demands.length === 0) return ALLOWED;
      const decide = (outcome: QuotaOutcome): CheckDecision => decisionOf(demands, outcome);
      const fail = (error: unknown): CheckDecision => failedDecision(error, failPolicy);
      try {
        const timeoutMs = STORE_TIMEOUT_MS;
        const outcome = charger.charge({ attributes, deduplicationId, demands, timeoutMs, receipt });
        return outcome instanceof Promise ? outcome.then(decide, fail) : decide(outcome);
      } catch (error) {
        return fail(error);
      }
    },
    answer: ({ attributes, deduplicationId, quotas }, { timeoutMs }) => {
      const demands = [...quotas].map(([quota, { amount, bestEffort }]) => ({ quota, amount, bestEffort }));
      const outcome = charger.charge({ attributes, deduplicationId, demands, timeoutMs });
      const respond = (settled: QuotaOutcome): CheckResponse => responseOf(demands, settled);
      return outcome instanceof Promise ? outcome.then(respond) : respond(outcome);
    },
    update: charger.update,
    use: charger.use,
    reset: charger.reset,
    useStore: (next) => {
      store = next;
      charger.useStore(next);
    },
    close: () => store.close(),
  };
}

function demandsOf(charges: ReturnType<typeof addUpCharges>): readonly QuotaDemand[] {
  return charges.map(({ quota, charge }) => ({ quota, amount: charge, bestEffort: false }));
}

function decisionOf(demands: readonly QuotaDemand[], outcome: QuotaOutcome): CheckDecision {
  if (outcome.type === 'unknownKey') return { ...ALLOWED, status: unknownKey(outcome).status };
  let exhausted: string[] | undefined;
  let retryAfterMs: number | undefined;
  for (const [at, { quota }] of demands.entries()) {
    const result = outcome.results[at];
    if (result === undefined || result.grantedAmount > 0) continue;
    exhausted ??= [];
    exhausted.push(quota);
    if (result.retryAfterMs !== undefined) retryAfterMs = Math.max(retryAfterMs ?? 0, result.retryAfterMs);
  }
  if (exhausted === undefined) {
    return outcome.receipt === undefined ? ALLOWED : { ...ALLOWED, receipt: outcome.receipt };
  }
  const message = `Quota is exhausted for: ${exhausted.join(',')}`;
  const refusal = { ...ALLOWED, status: { code: 'RESOURCE_EXHAUSTED', message }, exhaustedQuotas: exhausted } as const;
  return retryAfterMs === undefined ? refusal : { ...refusal, retryAfterMs };
}

/** @throws the error, when it is a defect and not a failure of the store */
function failedDecision(error: unknown, { policy = 'FAIL_OPEN' }: NetworkFailPolicyConfig): CheckDecision {
  if (!(error instanceof PolicyTransportError)) throw error;
  const { code, message } = error;
  return { ...ALLOWED, status: policy === 'FAIL_OPEN' ? OK_STATUS : { code, message }, failure: 'backend' };
}

function responseOf(demands: readonly QuotaDemand[], outcome: QuotaOutcome): CheckResponse {
  if (outcome.type === 'unknownKey') return { precondition: unknownKey(outcome), quotas: new Map() };
  const quotas = outcome.results.map((result, at) => [demands[at]?.quota ?? '', result] as const);
  return { precondition: PASSED, quotas: new Map(quotas) };
}

/** The message does not repeat the key, which is a credential. */
function unknownKey({
  quota,
  referencedAttributes,
}: Extract<QuotaOutcome, { readonly type: 'unknownKey' }>): PreconditionResult {
  const names = referencedAttributes.map(({ name, mapKey }) => (mapKey === undefined ? name : `${name}[${mapKey}]`));
  const message = `The key of the request (${names.join(', ')}) is not known for quota: ${quota}`;
  return {
    status: { code: 'PERMISSION_DENIED', message },
    validDurationMs: UNKNOWN_KEY_MS,
    validUseCount: -1,
    referencedAttributes,
  };
}
