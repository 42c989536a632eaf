import type { AttributeBag } from './attribute-bag.js';
import type { CheckCache, CheckVerdict } from './check-cache.js';
import type { ClientStatistics } from './client-statistics.js';
import type { QuotaCharge } from './compile-quota-specs.js';
import type { DryRunRefusal } from './dry-run.js';
import type { OnClientError } from './guarded-dependencies.js';
import type { HeaderChanges } from './header-changes.js';
import { OK_STATUS } from './policy-status.js';
import type { CheckResponse, PolicyTransportError } from './policy-transport.js';
import type { QuotaCache } from './quota-cache.js';
import { addUpCharges, ChargedQuotas } from './quota-charges.js';
import type { RemoteCheck } from './remote-check.js';
import { asTransportError } from './transport-call.js';
import type { ResolvedFailPolicy } from './transport-config.js';

const NONE: readonly string[] = [];
const NO_HITS: CacheHits = { isCheckCacheHit: false, isQuotaCacheHit: false };
const NO_PRECONDITION = 'The answer of the policy server has no precondition result';

/**
 * Why the fail policy decided: a call to the policy server or its store failed (backend), or the server could not count
 * a quota (quota). In a policy server also: a rule cannot be applied (rule), or the server itself failed (internal).
 */
export type CheckFailure = 'backend' | 'quota' | 'rule' | 'internal';

/** The decision about a request, its reason, and the facts for the report. */
export interface CheckDecision extends CheckVerdict {
  /** Whether the check cache answered. */
  readonly isCheckCacheHit: boolean;
  /** Whether the quota cache answered; false without quotas. */
  readonly isQuotaCacheHit: boolean;
  /** Names of the quotas that refused, in the order of the charges. */
  readonly exhaustedQuotas: readonly string[];
  /** The longest wait that a refusing quota named, in milliseconds; missing when no quota named one. */
  readonly retryAfterMs?: number;
  /** Missing when the policy server decided. */
  readonly failure?: CheckFailure;
  /** The receipt of the charges, for the proxy of the service; missing unless it was asked for and quotas were charged. */
  readonly receipt?: string;
  /** Headers of the response to the caller, also of an allowed request. Only handlers of this process set them. */
  readonly responseHeaders?: ResponseHeaders;
  /** What may be given back after the response; missing for nothing. */
  readonly refund?: RefundOffer;
  /** Changes of headers of a request that passes. Only rules of this process make them. */
  readonly headerChanges?: HeaderChanges;
  /** Objects in a dry run that would have refused the request; missing for none. */
  readonly dryRun?: readonly DryRunRefusal[];
}

/** By lower-case name. */
export type ResponseHeaders = Readonly<Record<string, string>>;

/** Charges that may be given back. */
export interface RefundOffer {
  /** For the report of the request, without spaces. */
  readonly ticket: string;
  /** Response codes, with spaces between them. */
  readonly codes: string;
}

export interface CheckFlowInput {
  readonly bag: AttributeBag;
  /** From the quota rules, in their order; several for one quota add up. */
  readonly quotas: readonly QuotaCharge[];
  readonly failPolicy: ResolvedFailPolicy;
  /** The caller's id of the request, for calls about this request alone. */
  readonly deduplicationId?: string | undefined;
  /**
   * Cancels a call that charges no quotas. A call that charges quotas is finished, because the server may have counted.
   */
  readonly cancel?: AbortSignal | undefined;
}

export interface CheckFlowDependencies {
  /** Missing with `disableCheckCache`. */
  readonly checkCache?: CheckCache | undefined;
  /** One for each fail policy. */
  readonly quotaCaches: Readonly<Record<ResolvedFailPolicy['policy'], QuotaCache>>;
  readonly remoteCheck: RemoteCheck;
  readonly statistics: ClientStatistics;
  /** Gets the errors of the embedder's functions that fail no call. Does not throw. */
  readonly onError: OnClientError;
}

/** `failure` is missing when the server decided, now or earlier. */
type AskedVerdict = CheckVerdict & { readonly failure?: CheckFailure };

type CacheHits = Pick<CheckDecision, 'isCheckCacheHit' | 'isQuotaCacheHit'>;

export type CheckFlow = (input: CheckFlowInput) => Promise<CheckDecision>;

/**
 * Decides about requests (docs/reference/policy-client.md#check-flow).
 *
 * - A cached denial is final. A cached permission is final for a request without charges.
 * - With a cached permission and quotas that the client can decide, the decision is immediate, and units for later
 *   requests are fetched in the background.
 * - All other requests make one Check call for everything.
 *
 * The fail policy decides when that call fails, also about its quotas (docs/reference/errors.md#failures), and when a
 * function of the embedder throws: a check never rejects. Under FAIL_CLOSE a background call that fails ends the use of
 * units that the server has not granted.
 */
export function createCheckFlow(dependencies: CheckFlowDependencies): CheckFlow {
  const { checkCache, quotaCaches, remoteCheck, statistics, onError } = dependencies;

  const findVerdict = (bag: AttributeBag): CheckVerdict | undefined => {
    const verdict = checkCache?.find(bag);
    statistics.increment('total_check_calls');
    if (verdict === undefined) {
      statistics.increment('total_check_cache_misses');
      return undefined;
    }
    statistics.increment('total_check_cache_hits');
    statistics.increment(isAllowed(verdict) ? 'total_check_cache_hit_accepts' : 'total_check_cache_hit_denies');
    return verdict;
  };

  const charge = (demands: readonly QuotaCharge[], { bag, failPolicy }: CheckFlowInput): ChargedQuotas => {
    const charged = new ChargedQuotas(quotaCaches[failPolicy.policy], demands, bag);
    if (demands.length === 0) return charged;
    statistics.increment('total_quota_calls');
    if (!charged.isDecided) {
      statistics.increment('total_quota_cache_misses');
    } else {
      statistics.increment('total_quota_cache_hits');
      statistics.increment(charged.isRefused ? 'total_quota_cache_hit_denies' : 'total_quota_cache_hit_accepts');
    }
    return charged;
  };

  const readResponse = (response: CheckResponse, bag: AttributeBag, charged: ChargedQuotas): CheckVerdict => {
    const { precondition, quotas } = response;
    // A server that denies need not decide about quotas: missing results are not failures.
    const isDenied = precondition !== undefined && !isAllowed(precondition);
    // Released before the loan is settled, so that the units that were lent to this request are taken back too.
    if (isDenied) charged.release();
    charged.answer((quota) => quotas.get(quota) ?? (isDenied ? 'skipped' : 'unreachable'));
    if (precondition === undefined) return { status: { code: 'INTERNAL', message: NO_PRECONDITION } };
    checkCache?.store(bag, precondition);
    return precondition;
  };

  const prefetch = async ({ bag, failPolicy }: CheckFlowInput, charged: ChargedQuotas): Promise<void> => {
    statistics.increment('total_remote_quota_prefetch_calls');
    try {
      const outcome = await remoteCheck({ attributes: bag, quotas: charged.questions() }, failPolicy);
      if (outcome.type === 'answered') readResponse(outcome.answer, bag, charged);
      else charged.answer(() => 'unreachable');
    } catch (error) {
      // A rejection without a waiting request would end the process.
      onError(error, 'check');
      charged.abandon();
    }
  };

  const ask = async (input: CheckFlowInput, charged: ChargedQuotas): Promise<AskedVerdict> => {
    const { bag, failPolicy, deduplicationId, cancel } = input;
    const { hasQuestions } = charged;
    statistics.increment('total_remote_check_calls');
    if (hasQuestions) statistics.increment('total_remote_quota_calls');
    const outcome = await remoteCheck(
      // Units for later requests must not be the answer to a repeated request: each repetition would count them again.
      {
        attributes: bag,
        quotas: charged.questions(),
        deduplicationId: charged.asksAhead ? undefined : deduplicationId,
      },
      failPolicy,
      hasQuestions ? undefined : cancel,
    );
    switch (outcome.type) {
      case 'answered': {
        const verdict = readResponse(outcome.answer, bag, charged);
        statistics.increment(isAllowed(verdict) ? 'total_remote_check_accepts' : 'total_remote_check_denies');
        if (hasQuestions) {
          statistics.increment(charged.isRefused ? 'total_remote_quota_denies' : 'total_remote_quota_accepts');
        }
        return verdict;
      }
      case 'failed':
        charged.answer(() => 'unreachable');
        return failedVerdict(outcome.error, failPolicy);
      case 'cancelled':
        charged.answer(() => 'skipped');
        return { status: { code: 'CANCELLED', message: 'The request ended before it was decided' } };
    }
  };

  const failed = (error: unknown, { failPolicy }: CheckFlowInput): CheckDecision => {
    onError(error, 'check');
    return decisionOf(failedVerdict(asTransportError(error), failPolicy), NO_HITS, NONE);
  };

  const askAndDecide = async (
    input: CheckFlowInput,
    charged: ChargedQuotas,
    hits: CacheHits,
  ): Promise<CheckDecision> => {
    try {
      return decide(await ask(input, charged), charged, hits);
    } catch (error) {
      charged.abandon();
      return failed(error, input);
    }
  };

  const flow: CheckFlow = (input) => {
    const cached = findVerdict(input.bag);
    const isCheckCacheHit = cached !== undefined;
    const demands = addUpCharges(input.quotas);
    if (cached !== undefined && (!isAllowed(cached) || demands.length === 0)) {
      return Promise.resolve(decisionOf(cached, { isCheckCacheHit, isQuotaCacheHit: false }, NONE));
    }
    const charged = charge(demands, input);
    const hits = { isCheckCacheHit, isQuotaCacheHit: demands.length > 0 && charged.isDecided };
    if (cached === undefined || !charged.isDecided) return askAndDecide(input, charged, hits);
    const decision = decide(cached, charged, hits);
    if (charged.hasQuestions) void prefetch(input, charged);
    return Promise.resolve(decision);
  };
  return (input) => {
    try {
      return flow(input);
    } catch (error) {
      return Promise.resolve(failed(error, input));
    }
  };
}

function isAllowed({ status }: CheckVerdict): boolean {
  return status.code === 'OK';
}

function failedVerdict({ code, message }: PolicyTransportError, { policy }: ResolvedFailPolicy): AskedVerdict {
  return { status: policy === 'FAIL_OPEN' ? OK_STATUS : { code, message }, failure: 'backend' };
}

function decide(verdict: AskedVerdict, charged: ChargedQuotas, hits: CacheHits): CheckDecision {
  if (!isAllowed(verdict) || !charged.isRefused) {
    if (!isAllowed(verdict)) charged.release();
    return decisionOf(verdict, hits, NONE);
  }
  const exhaustedQuotas = charged.exhausted();
  const uncounted = charged.uncounted();
  const retryAfterMs = charged.retryAfterMs();
  charged.release();
  if (exhaustedQuotas.length === 0) {
    const message = `Quota could not be counted for: ${uncounted.join(',')}`;
    return decisionOf({ status: { code: 'UNAVAILABLE', message }, failure: 'quota' }, hits, NONE);
  }
  const message = `Quota is exhausted for: ${exhaustedQuotas.join(',')}`;
  const refusal = decisionOf({ status: { code: 'RESOURCE_EXHAUSTED', message } }, hits, exhaustedQuotas);
  return retryAfterMs === undefined ? refusal : { ...refusal, retryAfterMs };
}

/** Member by member: spreads of objects with members that may be missing cost more than the rest of a decision. */
function decisionOf(
  { status, routeDirective, failure }: AskedVerdict,
  { isCheckCacheHit, isQuotaCacheHit }: CacheHits,
  exhaustedQuotas: readonly string[],
): CheckDecision {
  if (failure !== undefined) return { status, isCheckCacheHit, isQuotaCacheHit, exhaustedQuotas, failure };
  return routeDirective === undefined
    ? { status, isCheckCacheHit, isQuotaCacheHit, exhaustedQuotas }
    : { status, routeDirective, isCheckCacheHit, isQuotaCacheHit, exhaustedQuotas };
}
