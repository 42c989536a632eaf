import { whenSettled } from '../../base/when-settled.js';
import { createAttributeBag, EMPTY_LAYER } from '../client/attribute-bag.js';
import type { CompiledQuotaSpecs } from '../client/compile-quota-specs.js';
import { deriveTcpAttributes } from '../client/tcp-attributes.js';
import { checkConnectionFacts, tcpConnectionFacts } from './adapter/check-facts.js';
import type { WireCheckRequest } from './adapter/envoy-messages.js';
import { ANONYMOUS } from './callers/caller.js';
import type { CheckCall } from './check-call.js';
import type { CompiledService } from './compiled-services.js';
import {
  type CallContext,
  type CheckEnvironment,
  type CheckInput,
  type Decided,
  decide,
  unchargedDecision,
} from './decide.js';
import { type Planned, planOf } from './planned-input.js';

const NANOSECONDS_PER_MILLISECOND = 1_000_000n;

/**
 * Decides about a TCP connection.
 *
 * @param newId makes the id of a connection without one
 * @throws CallConfigError, CallerRefusedError
 */
export function decideTcp(
  environment: CheckEnvironment,
  message: WireCheckRequest,
  call: CheckCall,
  newId: () => string,
): Decided | Promise<Decided> {
  const config = environment.configs.tcp(call.configText);
  const host = call.service ?? config.defaultService;
  const context: CallContext = { config, host, protocol: 'tcp' };
  const right = environment.authorize({
    caller: call.caller ?? ANONYMOUS,
    config,
    connection: checkConnectionFacts(message),
    host,
    forwarded: () => EMPTY_LAYER,
  });
  if (right === 'uncharged') return unchargedDecision(context);
  return decide(environment, context, (service) => {
    const quotas = config.connectionQuotas?.ready() ?? service.quotas;
    const askWith = (ready: CompiledQuotaSpecs): CheckInput | Promise<CheckInput> =>
      ask(environment, message, call, newId, context, service, ready);
    return whenSettled(quotas, askWith);
  });
}

function ask(
  environment: CheckEnvironment,
  message: WireCheckRequest,
  { connectionId, connectionTimeNs }: CheckCall,
  newId: () => string,
  { config, host }: CallContext,
  service: CompiledService,
  quotas: CompiledQuotaSpecs,
): CheckInput | Promise<CheckInput> {
  const timeNs = connectionTimeNs ?? BigInt(environment.clock.now().getTime()) * NANOSECONDS_PER_MILLISECOND;
  const facts = tcpConnectionFacts(message, { id: connectionId ?? newId(), timeNs });
  const attributes = createAttributeBag({
    staticFilter: config.staticLayer,
    staticRoute: service.staticLayer,
    requestDerived: deriveTcpAttributes(facts),
    // Forwarded attributes are a header of requests; a connection has none.
    ignoreForwarded: true,
    isGateway: false,
  });
  const askWith = ({ layer, planCharges, refusal, isUndecided: isPlanUndecided }: Planned): CheckInput => {
    const planned = attributes.overlaid(layer);
    const { charges, isUndecided } = quotas.assess(planned);
    return {
      attributes: planned,
      quotas: charges,
      dryRunQuotas: service.dryRun?.chargesFor(planned, charges),
      planCharges,
      refusal,
      isUndecided: isUndecided || isPlanUndecided,
      // Without an id of Envoy, a repeated attempt at this Check looks like a new connection.
      deduplicationId: connectionId && `${connectionId}@${timeNs}/${host ?? ''}`,
      texts: { forwarded: '', request: '' },
    };
  };
  // A connection has no key. Bytes that a proxy does not read as requests must not pass without one.
  const planned = planOf(environment, service, attributes);
  return whenSettled(planned, askWith);
}
