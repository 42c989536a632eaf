import { buildExtAuthzPerRoute } from '../../envoy/http-ext-authz.js';
import type { MessageEncoder } from '../../envoy/message-encoder.js';
import { serviceAttributesOf } from '../../model/policy/service-config.js';
import type { PushContext } from '../../model/push-context.js';
import type { Service } from '../../model/service.js';
import { FORWARDED_ATTRIBUTES_HEADER, SERVICE_EXTENSION } from '../../policy/wire/call-metadata.js';
import type { ConfigEncoder } from '../../policy/wire/config-encoder.js';
import { kindsAffect } from '../kinds-affect.js';
import type { RoutePlugin } from '../plugins/networking-plugin.js';
import type { RouteFields } from '../plugins/route-plan.js';
import { OUTBOUND_HTTP_CHECK, outboundHttpCheckName } from './filter-names.js';
import { createOutboundFailPolicies, SLOT_OF_PROXY } from './outbound-fail-policies.js';
import { createPolicyReach } from './policy-reach.js';
import { createPolicyServerLookup } from './policy-server-hosts.js';
import type { PolicyFactsOf } from './proxy-facts.js';

/** What a route does about policy. */
interface Treatment {
  /** Whether it adds the attributes of its service to what is forwarded. */
  readonly forwards: boolean;
  /** Undefined where the proxy does not check on the calling side. */
  readonly check: 'checked' | 'unchecked' | undefined;
  /** Of the check that holds for it, where services have fail policies of their own. */
  readonly slot: number | undefined;
}

/**
 * Routes add the attributes of their service to what is forwarded (BEHAVIOUR 5, "Per route"), and tell checks of the
 * calling side which service it is. Nothing of the mesh is told outside of it, or where no service is known.
 */
export function createRoutePlanner(encoder: MessageEncoder, texts: ConfigEncoder, factsOf: PolicyFactsOf): RoutePlugin {
  const reachOf = createPolicyReach();
  const isPolicyServer = createPolicyServerLookup();
  const failPoliciesOf = createOutboundFailPolicies();
  const isChecked = (context: PushContext, service: Service): boolean =>
    !isPolicyServer(context, service.hostname) &&
    (context.mesh.policy.mixerCheckServer !== 'embedded' || reachOf(context)(service));

  const treatmentOf = (context: PushContext, checks: boolean, service: Service | undefined): Treatment => {
    const forwards = service !== undefined && !service.meshExternal;
    if (!checks) return { forwards, check: undefined, slot: undefined };
    const check = service !== undefined && isChecked(context, service) ? 'checked' : 'unchecked';
    const failPolicies = failPoliciesOf(context);
    if (!failPolicies.hasAny) return { forwards, check, slot: undefined };
    return { forwards, check, slot: service === undefined ? SLOT_OF_PROXY : failPolicies.slotOf(service) };
  };

  return {
    planRoutes: (context, proxy) => {
      const policy = factsOf(context.mesh, proxy)?.policy;
      if (policy === undefined) return undefined;
      const checks = policy.outboundChecks;
      return {
        key: checks ? 'checking' : 'forwarding',
        keyOf: (service) => {
          const { forwards, check, slot } = treatmentOf(context, checks, service);
          return [forwards ? 'forwarding' : 'withholding', check, slot].join(' ');
        },
        fieldsFor: (service) => {
          const { forwards, check, slot } = treatmentOf(context, checks, service);
          return {
            ...(forwards && service !== undefined ? forwardedAttributes(texts, service) : WITHHELD),
            ...(check === undefined ? {} : checkSettings(encoder, check === 'checked' ? service : undefined, slot)),
          };
        },
      };
    },
    routesAffectedBy: (request, context) => {
      const policy = context?.mesh.policy;
      if (!request.full || request.changed === 'everything') return request.full;
      if (policy !== undefined && policy.mixerCheckServer !== 'embedded') return false;
      return kindsAffect(request, 'policyReach');
    },
  };
}

const WITHHELD: RouteFields = { requestHeadersToRemove: [FORWARDED_ATTRIBUTES_HEADER] };

function forwardedAttributes(texts: ConfigEncoder, service: Service): RouteFields {
  const value = texts.attributesSpecText(serviceAttributesOf(service));
  return { requestHeadersToAdd: [{ header: { key: FORWARDED_ATTRIBUTES_HEADER, value } }] };
}

/**
 * Where services have fail policies of their own, listeners have a check in each slot, of which one is on. Listeners that
 * are drained because they were made before keep the check without a slot.
 *
 * @param slot of the check that is on
 */
function checkSettings(encoder: MessageEncoder, service: Service | undefined, slot: number | undefined): RouteFields {
  const unchecked = buildExtAuthzPerRoute(encoder, 'unchecked');
  const settings =
    service === undefined
      ? unchecked
      : buildExtAuthzPerRoute(encoder, { contextExtensions: { [SERVICE_EXTENSION]: service.hostname } });
  if (slot === undefined) return { typedPerFilterConfig: { [OUTBOUND_HTTP_CHECK]: settings } };
  return {
    typedPerFilterConfig: {
      [OUTBOUND_HTTP_CHECK]: settings,
      [outboundHttpCheckName(SLOT_OF_PROXY)]: unchecked,
      [outboundHttpCheckName(slot)]: settings,
    },
  };
}
