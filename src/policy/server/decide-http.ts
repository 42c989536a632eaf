import { whenSettled } from '../../base/when-settled.js';
import { createAttributeBag } from '../client/attribute-bag.js';
import { deriveHttpAttributes } from '../client/http-attributes.js';
import { WORKLOAD_LABELS } from '../client/workload-labels.js';
import type { ReceiptUse } from '../handlers/policy-handler.js';
import type { CheckRight } from './callers/authorize-check.js';
import { ANONYMOUS } from './callers/caller.js';
import type { CheckCall } from './check-call.js';
import type { CheckedRequest } from './checked-request.js';
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

/**
 * Decides about an HTTP request.
 *
 * @throws CallConfigError, CallerRefusedError
 */
export function decideHttp(
  environment: CheckEnvironment,
  request: CheckedRequest,
  call: CheckCall,
): Decided | Promise<Decided> {
  const config = environment.configs.http(call.configText);
  // A chain of many services has the service of the route, a chain of one has it in the call.
  const host = request.routeService ?? call.service ?? config.defaultService;
  const context: CallContext = { config, host, protocol: 'http' };
  const told = config.ignoreForwarded ? undefined : request.forwarded;
  const right = environment.authorize({
    caller: call.caller ?? ANONYMOUS,
    config,
    connection: request.facts.connection,
    host,
    forwarded: () => environment.forwarded(told).layer,
  });
  if (right === 'uncharged') return unchargedDecision(context);
  const receipt = receiptUseOf(right, request, context);
  return decide(environment, context, (service) => ask(environment, request, context, service, told, receipt));
}

/** A router gets a receipt for what it has charged. The proxy of a service redeems the one that comes with the request. */
function receiptUseOf(
  right: Exclude<CheckRight, 'uncharged'>,
  { receipt }: CheckedRequest,
  { config, host: service = '' }: CallContext,
): ReceiptUse | undefined {
  if (right !== 'charged')
    return { type: 'issue', service, scope: right === 'chargedByGateway' ? 'quotas' : 'counters' };
  if (config.claims.side === 'outbound') return undefined;
  return receipt === undefined ? undefined : { type: 'redeem', service, receipt };
}

function ask(
  environment: CheckEnvironment,
  { facts, id }: CheckedRequest,
  { config, host }: CallContext,
  service: CompiledService,
  told: string | undefined,
  receipt: ReceiptUse | undefined,
): CheckInput | Promise<CheckInput> {
  // Matched separately, because the report needs the attributes of the operation.
  const api = service.api.forWorkload(config.staticLayer.get(WORKLOAD_LABELS));
  const { layer: apiLayer, isUndecided: isApiUndecided } = api.assess(facts.method, facts.target);
  const requestDerived = deriveHttpAttributes(facts, api, apiLayer);
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
  const exactOrAll = config.countsFastQuotas ? service.exactQuotas : service.quotas;
  const askWith = ({ layer, planCharges, refusal, isUndecided: isPlanUndecided }: Planned): CheckInput => {
    const planned = attributes.overlaid(layer);
    const { charges, isUndecided } = exactOrAll.assess(planned);
    return {
      attributes: planned,
      quotas: charges,
      dryRunQuotas: service.dryRun?.chargesFor(planned, charges),
      planCharges,
      refusal,
      isUndecided: isUndecided || isApiUndecided || isPlanUndecided,
      deduplicationId: id === undefined ? undefined : `${id}/${host ?? ''}`,
      texts: { forwarded: forwarded.text, request: environment.requestTexts(apiLayer, requestDerived, layer) },
      receipt,
    };
  };
  const planned = planOf(environment, service, attributes);
  return whenSettled(planned, askWith);
}
