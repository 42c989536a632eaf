import type { Clock } from '../../base/clock.js';
import type { AttributeBag } from '../client/attribute-bag.js';
import type { CheckDecision } from '../client/check-flow.js';
import type { QuotaCharge } from '../client/compile-quota-specs.js';
import type { ServiceCallConfig } from '../client/policy-client.js';
import { OK_STATUS } from '../client/policy-status.js';
import { resolveNetworkFailPolicy } from '../client/transport-config.js';
import { ALLOWED, type PolicyHandler } from '../handlers/policy-handler.js';
import type { CallConfig, CallConfigs } from './call-configs.js';
import type { CheckedCall, CheckRight } from './callers/authorize-check.js';
import type { CompiledService, CompiledServices } from './compiled-services.js';
import type { CheckProtocol } from './policy-server-metrics.js';
import type { ForwardedAttributes, RequestTexts } from './policy-texts.js';

/** What deciding about a call needs beside the call. */
export interface CheckEnvironment {
  readonly configs: CallConfigs;
  readonly services: CompiledServices;
  /** Reads the header x-mesh-attributes. */
  readonly forwarded: (text: string | undefined) => ForwardedAttributes;
  readonly requestTexts: RequestTexts;
  readonly handlers: Pick<PolicyHandler, 'check'>;
  readonly clock: Clock;
  /** A rule that cannot be used, or not in time, may have said more about a call. */
  readonly undecided: (protocol: CheckProtocol, service: string | undefined) => void;
  /** A failure of our own while deciding: it has been turned into an answer. */
  readonly decisionFailed: (error: unknown) => void;
  /**
   * Holds a call against the identity of its caller.
   *
   * @throws CallerRefusedError
   */
  readonly authorize: (call: CheckedCall) => CheckRight;
}

/** What a call goes by. */
export interface CallContext {
  readonly config: CallConfig;
  /** Host of the service; undefined when the call names none. */
  readonly host: string | undefined;
  readonly protocol: CheckProtocol;
}

/** The input of the decision about a request or connection. */
export interface CheckInput {
  readonly attributes: AttributeBag;
  readonly quotas: readonly QuotaCharge[];
  /** The same for all attempts at one Check; undefined when they cannot be told from other requests. */
  readonly deduplicationId: string | undefined;
  readonly texts: CheckTexts;
  /** Whether a rule that cannot be used, or not in time, may charge more. */
  readonly isUndecided: boolean;
}

/** Attributes that the report will need, as texts; empty for none. */
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
 * Decides about a call. Whatever a call brings, it gets an answer: should anything of our own fail, the fail policy
 * says which, as when the policy server could not be reached (docs/reference/errors.md#failures).
 *
 * A call for which a rule may charge more that cannot be used goes on without the rule under FAIL_OPEN, and is refused
 * under FAIL_CLOSE: a rule that has no effect must not let requests through where a policy server that is gone would not.
 *
 * @param ask makes the question of the call, which is for that service
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
    // Without a turn of the microtask queue where all is compiled, as nearly always.
    const service = found instanceof Promise ? await found : found;
    isServiceKnown = service.isKnown;
    // The proxy's own policy goes with each call, so that proxies which differ in it alone share a client.
    calls = {
      networkFailPolicy: service.calls.networkFailPolicy ?? config.transport.networkFailPolicy,
      disableCheckCalls: config.disableCheckCalls || (service.calls.disableCheckCalls ?? false),
    };
    const asked = ask(service);
    const { texts, attributes, quotas, deduplicationId, isUndecided } = asked instanceof Promise ? await asked : asked;
    if (isUndecided && !calls.disableCheckCalls) {
      environment.undecided(context.protocol, host);
      if (resolveNetworkFailPolicy(calls.networkFailPolicy).policy === 'FAIL_CLOSE') {
        return { context, isServiceKnown, decision: undecidedDecision(), texts };
      }
    }
    if (calls.disableCheckCalls) return { context, isServiceKnown, decision: ALLOWED, texts };
    const { networkFailPolicy: failPolicy = {} } = calls;
    const { transport } = config;
    const decided = environment.handlers.check({ attributes, quotas, deduplicationId, failPolicy, transport });
    // A handler that need not wait does not cost a turn of the microtask queue either.
    const decision = decided instanceof Promise ? await decided : decided;
    return { context, isServiceKnown, decision, texts };
  } catch (error) {
    environment.decisionFailed(error);
    return { context, isServiceKnown, decision: failedDecision(calls), texts: NO_TEXTS };
  }
}

/** A call that is allowed and charges nothing, for the proxy of its service checks the same request. */
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
