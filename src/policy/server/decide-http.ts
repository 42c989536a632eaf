import { createAttributeBag } from '../client/attribute-bag.js';
import { deriveHttpAttributes } from '../client/http-attributes.js';
import { WORKLOAD_LABELS } from '../client/workload-labels.js';
import type { ReceiptUse } from '../handlers/policy-handler.js';
import { FORWARDED_ATTRIBUTES_HEADER, RECEIPT_HEADER, SERVICE_EXTENSION } from '../wire/call-metadata.js';
import { httpRequestFacts } from './adapter/check-facts.js';
import type { WireCheckRequest } from './adapter/envoy-messages.js';
import type { CheckRight } from './callers/authorize-check.js';
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

const NANOSECONDS_PER_MILLISECOND = 1_000_000n;

/**
 * Decides about an HTTP request.
 *
 * @throws CallConfigError, CallerRefusedError
 */
export async function decideHttp(
  environment: CheckEnvironment,
  message: WireCheckRequest,
  call: CheckCall,
): Promise<Decided> {
  const config = environment.configs.http(call.configText);
  // A chain of many services has the service of the route, a chain of one has it in the call.
  const ofRoute = message.attributes?.contextExtensions?.[SERVICE_EXTENSION];
  const host = ofRoute || (call.service ?? config.defaultService);
  const context = { config, host, protocol: 'http' } as const;
  const told = message.attributes?.request?.http?.headers?.[FORWARDED_ATTRIBUTES_HEADER];
  const forwarded = () => environment.forwarded(config.ignoreForwarded ? undefined : told).layer;
  const right = environment.authorize({ caller: call.caller ?? ANONYMOUS, config, message, host, forwarded });
  if (right === 'uncharged') return unchargedDecision(context);
  const receipt = receiptUseOf(right, message, context);
  return decide(environment, context, (service) => ({ ...ask(environment, message, context, service), receipt }));
}

/** A router gets a receipt for what it has charged. The proxy of a service redeems the one that comes with the request. */
function receiptUseOf(
  right: Exclude<CheckRight, 'uncharged'>,
  message: WireCheckRequest,
  { config, host: service = '' }: CallContext,
): ReceiptUse | undefined {
  if (right !== 'charged')
    return { type: 'issue', service, scope: right === 'chargedByGateway' ? 'quotas' : 'counters' };
  if (config.claims.side === 'outbound') return undefined;
  const receipt = message.attributes?.request?.http?.headers?.[RECEIPT_HEADER];
  return receipt === undefined ? undefined : { type: 'redeem', service, receipt };
}

function ask(
  environment: CheckEnvironment,
  message: WireCheckRequest,
  { config, host }: CallContext,
  service: CompiledService,
): CheckInput {
  const http = message.attributes?.request?.http;
  const facts = httpRequestFacts(message, BigInt(environment.clock.now().getTime()) * NANOSECONDS_PER_MILLISECOND);
  // Matched separately, because the report needs the attributes of the operation.
  const api = service.api.forWorkload(config.staticLayer.get(WORKLOAD_LABELS));
  const { layer: apiLayer, isUndecided: isApiUndecided } = api.assess(facts.method, facts.target);
  const requestDerived = deriveHttpAttributes(facts, api, apiLayer);
  const told = config.ignoreForwarded ? undefined : http?.headers?.[FORWARDED_ATTRIBUTES_HEADER];
  const all = environment.forwarded(told);
  const forwarded = service.isKnown ? all.ofCaller : all;
  const attributes = createAttributeBag({
    staticFilter: config.staticLayer,
    staticRoute: service.staticLayer,
    forwardedRoute: forwarded.layer,
    requestDerived,
    ignoreForwarded: config.ignoreForwarded,
    // Discovery sets ignoreForwarded for gateways, which has the same effect.
    isGateway: false,
  });
  const { charges, isUndecided } = service.quotas.assess(attributes);
  return {
    attributes,
    quotas: charges,
    isUndecided: isUndecided || isApiUndecided,
    // Envoy's number of the stream and the time: the same for repeated attempts at this Check, different for all other
    // requests.
    deduplicationId: http?.id ? `${http.id}@${facts.timeNs}/${host ?? ''}` : undefined,
    texts: { forwarded: forwarded.text, request: environment.requestTexts(apiLayer, requestDerived) },
  };
}
