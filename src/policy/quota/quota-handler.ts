import type { Clock } from '../../base/clock.js';
import { whenSettled } from '../../base/when-settled.js';
import type { CheckDecision, RefundOffer } from '../client/check-flow.js';
import type { QuotaCharge } from '../client/compile-quota-specs.js';
import { OK_STATUS } from '../client/policy-status.js';
import { type CheckResponse, PolicyTransportError, type PreconditionResult } from '../client/policy-transport.js';
import { addUpCharges } from '../client/quota-charges.js';
import type { NetworkFailPolicyConfig } from '../client/transport-config.js';
import { ALLOWED, type HandlerCheck, type PlanCharge, type PolicyHandler } from '../handlers/policy-handler.js';
import {
  type ChargedDemand,
  createQuotaCharger,
  type QuotaCharger,
  type QuotaChargerOptions,
  type QuotaDemand,
  type QuotaOutcome,
} from './charge-quotas.js';
import { tryDryRun } from './dry-run.js';
import { type LimitState, rateLimitHeaders } from './rate-limit-headers.js';
import { createRefunds } from './refunds/refunds.js';

/** Counts quotas in this process or in a separate store. */
export interface QuotaHandler
  extends PolicyHandler,
    Pick<QuotaCharger, 'update' | 'usePlans' | 'useStore' | 'use' | 'reset'> {}

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

export interface QuotaHandlerOptions extends QuotaChargerOptions {
  /** Of the time in refunds. */
  readonly clock: Pick<Clock, 'now'>;
  /** Whether the charges of QuotaSpecs are counted here, and not only those of plans. Default true. */
  readonly countsQuotas?: boolean;
}

/**
 * The handler that counts quotas. With counters in memory it decides without timers, retries and promises. When the
 * store cannot count, the fail policy decides. Of reports it takes the refunds.
 */
export function createQuotaHandler(options: QuotaHandlerOptions): QuotaHandler {
  const { countsQuotas = true } = options;
  const charger = createQuotaCharger(options);
  const refunds = createRefunds(options.clock, options.metrics);
  let { store } = options;
  const decideEnforced = ({
    attributes,
    quotas,
    planCharges,
    deduplicationId = '',
    failPolicy,
    receipt,
  }: HandlerCheck): CheckDecision | Promise<CheckDecision> => {
    const demands = demandsOf(countsQuotas ? addUpCharges(quotas) : NO_CHARGES, planCharges);
    if (demands.length === 0) return ALLOWED;
    const decide = (outcome: QuotaOutcome): CheckDecision | Promise<CheckDecision> => {
      const decision = decisionOf(demands, outcome);
      if (outcome.type !== 'counted' || decision.status.code !== 'OK') return decision;
      const offer = refunds.offer(outcome.charged, deduplicationId, store);
      return whenSettled(offer, (refund) => withRefund(decision, refund));
    };
    const fail = (error: unknown): CheckDecision => failedDecision(error, failPolicy);
    try {
      const timeoutMs = STORE_TIMEOUT_MS;
      const outcome = charger.charge({ attributes, deduplicationId, demands, timeoutMs, receipt });
      return outcome instanceof Promise ? outcome.then(decide).catch(fail) : decide(outcome);
    } catch (error) {
      return fail(error);
    }
  };
  return {
    name: 'quota',
    check: (check) => {
      const decision = decideEnforced(check);
      if (!countsQuotas || check.dryRunQuotas === undefined) return decision;
      return whenSettled(decision, (settled) => tryDryRun(settled, check, charger, STORE_TIMEOUT_MS));
    },
    answer: ({ attributes, deduplicationId, quotas }, { timeoutMs }) => {
      const wanted = countsQuotas ? [...quotas] : [];
      const demands = wanted.map(([quota, { amount, bestEffort }]) => ({ quota, amount, bestEffort }));
      const outcome = charger.charge({ attributes, deduplicationId, demands, timeoutMs });
      const respond = (settled: QuotaOutcome): CheckResponse => responseOf(demands, settled);
      return whenSettled(outcome, respond);
    },
    report: ({ refund }) => {
      if (refund !== undefined) refunds.redeem(refund, store);
    },
    update: charger.update,
    usePlans: charger.usePlans,
    use: charger.use,
    reset: charger.reset,
    useStore: (next) => {
      store = next;
      charger.useStore(next);
    },
    close: () => store.close(),
  };
}

/** A demand, and whether its answer tells what is left. */
interface ToldDemand extends QuotaDemand {
  /** The name of the limit for callers; absent: it is not told. */
  readonly policy?: string;
}

const NO_CHARGES: readonly QuotaCharge[] = [];
const NO_PLAN: readonly PlanCharge[] = [];

function demandsOf(charges: readonly QuotaCharge[], ofPlan: readonly PlanCharge[] = NO_PLAN): readonly ToldDemand[] {
  const demands: ToldDemand[] = [];
  for (const { limit, policy, refundCodes } of ofPlan) {
    const demand = { quota: limit.name, amount: 1, bestEffort: false, limit, policy };
    demands.push(refundCodes === undefined ? demand : { ...demand, refundCodes });
  }
  for (const { quota, charge, isTold, refundCodes } of charges) {
    const demand = { quota, amount: charge, bestEffort: false };
    if (!isTold && refundCodes === undefined) demands.push(demand);
    else
      demands.push({ ...demand, ...(isTold && { policy: quota }), ...(refundCodes !== undefined && { refundCodes }) });
  }
  return demands;
}

function decisionOf(demands: readonly ToldDemand[], outcome: QuotaOutcome): CheckDecision {
  if (outcome.type === 'unknownKey') return { ...ALLOWED, status: unknownKey(outcome).status };
  let exhausted: string[] | undefined;
  let retryAfterMs: number | undefined;
  for (let at = 0; at < demands.length; at++) {
    const [demand, result] = [demands[at], outcome.results[at]];
    if (demand === undefined || result === undefined || result.grantedAmount > 0) continue;
    const { quota, policy } = demand;
    exhausted ??= [];
    exhausted.push(policy ?? quota);
    if (result.retryAfterMs !== undefined) retryAfterMs = Math.max(retryAfterMs ?? 0, result.retryAfterMs);
  }
  const responseHeaders = rateLimitHeaders(statesOf(outcome.charged));
  const told = responseHeaders === undefined ? ALLOWED : { ...ALLOWED, responseHeaders };
  if (exhausted === undefined) {
    return outcome.receipt === undefined ? told : { ...told, receipt: outcome.receipt };
  }
  const message = `Quota is exhausted for: ${exhausted.join(',')}`;
  const refusal = { ...told, status: { code: 'RESOURCE_EXHAUSTED', message }, exhaustedQuotas: exhausted } as const;
  return retryAfterMs === undefined ? refusal : { ...refusal, retryAfterMs };
}

const NO_STATES: readonly LimitState[] = [];

function statesOf(charged: readonly ChargedDemand[]): readonly LimitState[] {
  let states: LimitState[] | undefined;
  for (const { demand, limit, result } of charged) {
    const { policy } = demand as ToldDemand;
    if (policy === undefined) continue;
    const { maxAmount, counter } = limit;
    const { left, resetMs, granted } = result;
    states ??= [];
    states.push({ policy, maxAmount, shape: counter.shape, left, resetMs, isExhausted: granted === 0 });
  }
  return states ?? NO_STATES;
}

function withRefund(decision: CheckDecision, refund: RefundOffer | undefined): CheckDecision {
  return refund === undefined ? decision : { ...decision, refund };
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
