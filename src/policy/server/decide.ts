import type { Clock } from '../../base/clock.js';
import { whenSettled } from '../../base/when-settled.js';
import type { AttributeBag } from '../client/attribute-bag.js';
import type { CheckDecision } from '../client/check-flow.js';
import type { QuotaCharge } from '../client/compile-quota-specs.js';
import { OK_STATUS } from '../client/policy-status.js';
import { type NetworkFailPolicyConfig, resolveNetworkFailPolicy } from '../client/transport-config.js';
import { ALLOWED, type PlanCharge, type PolicyHandler, type ReceiptUse } from '../handlers/policy-handler.js';
import type { PlanRefusal, PlanRefused } from '../plans/assess-plans.js';
import type { CallConfig, CallConfigs } from './call-configs.js';
import type { CheckedCall, CheckRight } from './callers/authorize-check.js';
import type { CompiledService, CompiledServices } from './compiled-services.js';
import type { PlanBook } from './plan-book.js';
import type { CheckProtocol } from './policy-server-metrics.js';
import type { ForwardedAttributes, RequestTexts } from './policy-texts.js';

/** The parts that decide about calls. */
export interface CheckEnvironment {
  readonly configs: CallConfigs;
  readonly services: CompiledServices;
  /** Reads the header x-mesh-attributes. */
  readonly forwarded: (text: string | undefined) => ForwardedAttributes;
  readonly requestTexts: RequestTexts;
  readonly plans: Pick<PlanBook, 'of'>;
  /** Called when a plan refuses a request. */
  readonly planRefused: (reason: PlanRefusal) => void;
  readonly handlers: Pick<PolicyHandler, 'check'>;
  readonly clock: Clock;
  /** Called when a rule that cannot be used, or not in time, may concern the call. */
  readonly undecided: (protocol: CheckProtocol, service: string | undefined) => void;
  /** Called for an internal failure, which has been turned into an answer. */
  readonly decisionFailed: (error: unknown) => void;
  /**
   * Compares a call with the identity of its caller.
   *
   * @throws CallerRefusedError
   */
  readonly authorize: (call: CheckedCall) => CheckRight;
}

/** The configuration, service and protocol of a call. */
export interface CallContext {
  readonly config: CallConfig;
  /** Host of the service; undefined for a call without a service. */
  readonly host: string | undefined;
  readonly protocol: CheckProtocol;
}

/** The input of the decision about a request or connection. */
export interface CheckInput {
  readonly attributes: AttributeBag;
  readonly quotas: readonly QuotaCharge[];
  /** What specs in a dry run would charge; missing for a service without such specs. */
  readonly dryRunQuotas?: readonly QuotaCharge[] | undefined;
  /** Missing for a service without plans. */
  readonly planCharges?: readonly PlanCharge[] | undefined;
  /** The refusal of the service's plans, before anything is counted. */
  readonly refusal?: PlanRefused | undefined;
  /** Equal for all attempts at one Check; undefined when they look like other requests. */
  readonly deduplicationId: string | undefined;
  readonly texts: CheckTexts;
  /** Whether a rule that cannot be used, or not in time, may charge more. */
  readonly isUndecided: boolean;
  /** Missing for a call without receipts. */
  readonly receipt?: ReceiptUse | undefined;
}

/** The texts of attributes for the report; empty for none. */
export interface CheckTexts {
  readonly forwarded: string;
  readonly request: string;
}

export interface Decided {
  readonly context: CallContext;
  readonly isServiceKnown: boolean;
  readonly decision: CheckDecision;
  readonly texts: CheckTexts;
}

const NO_TEXTS: CheckTexts = { forwarded: '', request: '' };
const NO_FAIL_POLICY: NetworkFailPolicyConfig = {};

/**
 * Decides about a call. Every call gets an answer: after an internal failure the fail policy answers, as for an
 * unreachable policy server (docs/reference/errors.md#failures). A call that need not wait costs no promise.
 *
 * When an unusable rule may charge more, the call continues without the rule under FAIL_OPEN, and is refused under
 * FAIL_CLOSE: an unusable rule must not let requests pass that an unreachable policy server would refuse.
 *
 * @param ask makes the input for the service of the call
 */
export function decide(
  environment: CheckEnvironment,
  context: CallContext,
  ask: (service: CompiledService) => CheckInput | Promise<CheckInput>,
): Decided | Promise<Decided> {
  const { config, host } = context;
  let service: CompiledService | undefined;

  const fail = (error: unknown): Decided => {
    environment.decisionFailed(error);
    const decision = failedDecision(service?.calls.networkFailPolicy ?? config.transport.networkFailPolicy);
    return { context, isServiceKnown: service?.isKnown ?? false, decision, texts: NO_TEXTS };
  };
  const decideWith = (input: CheckInput): Decided | Promise<Decided> => {
    const { attributes, quotas, dryRunQuotas, planCharges, deduplicationId, texts, isUndecided, refusal, receipt } =
      input;
    const isServiceKnown = service?.isKnown ?? false;
    const finish = (decision: CheckDecision): Decided => ({ context, isServiceKnown, decision, texts });
    if (config.disableCheckCalls || service?.calls.disableCheckCalls) return finish(ALLOWED);
    if (refusal !== undefined) {
      environment.planRefused(refusal.reason);
      return finish(refusal.decision);
    }
    const failPolicy = service?.calls.networkFailPolicy ?? config.transport.networkFailPolicy ?? NO_FAIL_POLICY;
    if (isUndecided) {
      environment.undecided(context.protocol, host);
      if (resolveNetworkFailPolicy(failPolicy).policy === 'FAIL_CLOSE') return finish(UNDECIDED);
    }
    const { transport } = config;
    const check = { attributes, quotas, dryRunQuotas, planCharges, deduplicationId, receipt, failPolicy, transport };
    return whenSettled(environment.handlers.check(check), finish);
  };
  const decideFor = (found: CompiledService): Decided | Promise<Decided> => {
    service = found;
    const asked = ask(found);
    return whenSettled(asked, decideWith);
  };
  try {
    const found = environment.services.compiled(host);
    const decided = whenSettled(found, decideFor);
    return decided instanceof Promise ? decided.catch(fail) : decided;
  } catch (error) {
    return fail(error);
  }
}

/** A call that is allowed without a charge, because the proxy of its service checks the same request. */
export function unchargedDecision(context: CallContext): Decided {
  return { context, isServiceKnown: true, decision: ALLOWED, texts: NO_TEXTS };
}

const UNDECIDED: CheckDecision = {
  ...ALLOWED,
  status: {
    code: 'UNAVAILABLE',
    message: 'A rule of the policy cannot be applied to this request, and the fail policy is FAIL_CLOSE',
  },
  failure: 'rule',
};

function failedDecision(failPolicy: NetworkFailPolicyConfig | undefined): CheckDecision {
  const { policy } = resolveNetworkFailPolicy(failPolicy);
  const message = 'The policy server failed to decide about the request';
  return {
    ...ALLOWED,
    status: policy === 'FAIL_OPEN' ? OK_STATUS : { code: 'INTERNAL', message },
    failure: 'internal',
  };
}
