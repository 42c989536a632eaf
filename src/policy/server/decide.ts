import type { Clock } from '../../base/clock.js';
import type { AttributeBag } from '../client/attribute-bag.js';
import type { CheckDecision } from '../client/check-flow.js';
import type { QuotaCharge } from '../client/compile-quota-specs.js';
import type { ServiceCallConfig } from '../client/policy-client.js';
import { OK_STATUS } from '../client/policy-status.js';
import { resolveNetworkFailPolicy } from '../client/transport-config.js';
import { ALLOWED, type PolicyHandler, type ReceiptUse } from '../handlers/policy-handler.js';
import type { CallConfig, CallConfigs } from './call-configs.js';
import type { CheckedCall, CheckRight } from './callers/authorize-check.js';
import type { CompiledService, CompiledServices } from './compiled-services.js';
import type { CheckProtocol } from './policy-server-metrics.js';
import type { ForwardedAttributes, RequestTexts } from './policy-texts.js';

/** The parts that decide about calls. */
export interface CheckEnvironment {
  readonly configs: CallConfigs;
  readonly services: CompiledServices;
  /** Reads the header x-mesh-attributes. */
  readonly forwarded: (text: string | undefined) => ForwardedAttributes;
  readonly requestTexts: RequestTexts;
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

/**
 * Decides about a call. Every call gets an answer: after an internal failure the fail policy answers, as for an
 * unreachable policy server (docs/reference/errors.md#failures).
 *
 * When an unusable rule may charge more, the call continues without the rule under FAIL_OPEN, and is refused under
 * FAIL_CLOSE: an unusable rule must not let requests pass that an unreachable policy server would refuse.
 *
 * @param ask makes the input for the service of the call
 */
export async function decide(
  environment: CheckEnvironment,
  context: CallContext,
  ask: (service: CompiledService) => CheckInput | Promise<CheckInput>,
): Promise<Decided> {
  const { config, host } = context;
  let calls: ServiceCallConfig = { networkFailPolicy: config.transport.networkFailPolicy };
  let isServiceKnown = false;
  try {
    const found = environment.services.compiled(host);
    // No turn of the microtask queue when all specs are compiled, the usual case.
    const service = found instanceof Promise ? await found : found;
    isServiceKnown = service.isKnown;
    // The fail policy of the proxy is passed with each call, so that proxies that differ only in it share a client.
    calls = {
      networkFailPolicy: service.calls.networkFailPolicy ?? config.transport.networkFailPolicy,
      disableCheckCalls: config.disableCheckCalls || (service.calls.disableCheckCalls ?? false),
    };
    const asked = ask(service);
    const { texts, isUndecided, ...charged } = asked instanceof Promise ? await asked : asked;
    if (isUndecided && !calls.disableCheckCalls) {
      environment.undecided(context.protocol, host);
      if (resolveNetworkFailPolicy(calls.networkFailPolicy).policy === 'FAIL_CLOSE') {
        return { context, isServiceKnown, decision: undecidedDecision(), texts };
      }
    }
    if (calls.disableCheckCalls) return { context, isServiceKnown, decision: ALLOWED, texts };
    const { networkFailPolicy: failPolicy = {} } = calls;
    const { transport } = config;
    const decided = environment.handlers.check({ ...charged, failPolicy, transport });
    // A handler that need not wait does not cost a turn of the microtask queue either.
    const decision = decided instanceof Promise ? await decided : decided;
    return { context, isServiceKnown, decision, texts };
  } catch (error) {
    environment.decisionFailed(error);
    return { context, isServiceKnown, decision: failedDecision(calls), texts: NO_TEXTS };
  }
}

/** A call that is allowed without a charge, because the proxy of its service checks the same request. */
export function unchargedDecision(context: CallContext): Decided {
  return { context, isServiceKnown: true, decision: ALLOWED, texts: NO_TEXTS };
}

function undecidedDecision(): CheckDecision {
  const message = 'A rule of the policy cannot be applied to this request, and the fail policy is FAIL_CLOSE';
  return { ...ALLOWED, status: { code: 'UNAVAILABLE', message }, failure: 'rule' };
}

function failedDecision({ networkFailPolicy }: ServiceCallConfig): CheckDecision {
  const { policy } = resolveNetworkFailPolicy(networkFailPolicy);
  const message = 'The policy server failed to decide about the request';
  return {
    ...ALLOWED,
    status: policy === 'FAIL_OPEN' ? OK_STATUS : { code: 'INTERNAL', message },
    failure: 'internal',
  };
}
