import type { MatchMeter } from '../../config/regex/match-meter.js';
import type { CheckDecision } from '../client/check-flow.js';
import { OK_STATUS, type PolicyStatus } from '../client/policy-status.js';
import type { CheckResponse, PreconditionResult } from '../client/policy-transport.js';
import { PolicyTransportError } from '../client/policy-transport.js';
import { type NetworkFailPolicyConfig, resolveNetworkFailPolicy } from '../client/transport-config.js';
import { ALLOWED } from '../handlers/policy-handler.js';
import type { Outcome } from './dispatch-request.js';

const FAILED: PolicyStatus = {
  code: 'UNAVAILABLE',
  message: 'A handler of a rule failed for this request, and the fail policy is FAIL_CLOSE',
};

/** Whether conditions took all the work that a request may cause, so that a rule may have been left out. */
type Work = Pick<MatchMeter, 'isExceeded'>;

/** The decision about a request of a proxy. A refusal counts, also if another handler failed. */
export function checkDecision(
  { decisions, grants, isFailed }: Outcome,
  { isExceeded }: Work,
  failPolicy: NetworkFailPolicyConfig,
): CheckDecision {
  const refusal = decisions.at(-1);
  if (refusal !== undefined && refusal.status.code !== 'OK') {
    const { status, directive } = refusal;
    return { ...ALLOWED, status, ...(directive && { routeDirective: directive }) };
  }
  const exhausted = [...grants].filter(([, { grantedAmount }]) => grantedAmount === 0);
  if (exhausted.length > 0) {
    const exhaustedQuotas = exhausted.map(([quota]) => quota);
    const waits = exhausted.flatMap(([, { retryAfterMs }]) => retryAfterMs ?? []);
    const message = `Quota is exhausted for: ${exhaustedQuotas.join(',')}`;
    return {
      ...ALLOWED,
      status: { code: 'RESOURCE_EXHAUSTED', message },
      exhaustedQuotas,
      ...(waits.length > 0 && { retryAfterMs: Math.max(...waits) }),
    };
  }
  if (!isFailed && !isExceeded) return ALLOWED;
  const isOpen = resolveNetworkFailPolicy(failPolicy).policy === 'FAIL_OPEN';
  return { ...ALLOWED, status: isOpen ? OK_STATUS : FAILED, failure: 'rule' };
}

/** Holds for every request, because no rule can refuse one. */
const WITHOUT_RULES: PreconditionResult = { status: OK_STATUS, validUseCount: -1, referencedAttributes: [] };

/**
 * The answer to another policy server. With rules it cannot be cached: it depends on all attributes that conditions read.
 *
 * @throws PolicyTransportError when a handler failed, so that the fail policy of the caller decides
 */
export function checkResponse(
  { decisions, grants, isFailed }: Outcome,
  { isExceeded }: Work,
  hasRules: boolean,
): CheckResponse {
  if (!hasRules) return { precondition: WITHOUT_RULES, quotas: new Map() };
  const last = decisions.at(-1);
  const isRefused = last !== undefined && last.status.code !== 'OK';
  if ((isFailed || isExceeded) && !isRefused)
    throw new PolicyTransportError('other', 'a handler of a rule failed for this request');
  const directive = last?.directive;
  const precondition: PreconditionResult = {
    status: last?.status ?? OK_STATUS,
    validUseCount: 0,
    ...(directive && { routeDirective: directive }),
  };
  return { precondition, quotas: grants };
}
