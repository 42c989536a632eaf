import { buildExtAuthzPerRoute } from '../../envoy/http-ext-authz.js';
import type { MessageEncoder } from '../../envoy/message-encoder.js';
import { serviceAttributesOf } from '../../model/policy/service-config.js';
import type { PushContext } from '../../model/push-context.js';
import type { Service } from '../../model/service.js';
import { FORWARDED_ATTRIBUTES_HEADER, SERVICE_EXTENSION } from '../../policy/wire/call-metadata.js';
import type { ConfigEncoder } from '../../policy/wire/config-encoder.js';
import { kindsAffect } from '../kinds-affect.js';
import type { RouteFields, RoutePlugin } from '../routes/route-plugin.js';
import { OUTBOUND_HTTP_CHECK, outboundHttpCheckName } from './filter-names.js';
import { createOutboundFailPolicies, SLOT_OF_PROXY } from './outbound-fail-policies.js';
import { createPolicyReach } from './policy-reach.js';
import { createPolicyServerLookup } from './policy-server-hosts.js';
import type { PolicyFactsOf } from './proxy-facts.js';

/**
 * What a route does about policy: which attributes it forwards, what it tells the check, and the slot of the check that
 * holds for it where services have fail policies of their own.
 */
type Treatment = `${'forwarding' | 'withholding'}${'' | ` ${'checked' | 'unchecked'}${'' | ` ${number}`}`}`;

/**
 * Routes add the attributes of their service to what is forwarded (BEHAVIOUR 5, "Per route"), and tell checks of the
 * calling side which service it is. Nothing of the mesh is told outside of it, or where no service is known.
 */
export function createPolicyRoutePlugin(
  encoder: MessageEncoder,
  texts: ConfigEncoder,
  factsOf: PolicyFactsOf,
): RoutePlugin {
  const reachOf = createPolicyReach();
  const isPolicyServer = createPolicyServerLookup();
  const failPoliciesOf = createOutboundFailPolicies();
  const isChecked = (context: PushContext, service: Service): boolean =>
    !isPolicyServer(context, service.hostname) &&
    (context.mesh.policy.mixerCheckServer !== 'embedded' || reachOf(context)(service));
  return {
    name: 'policy',
    variantOf: (mesh, proxy) => {
      const policy = factsOf(mesh, proxy)?.policy;
      if (policy === undefined) return '';
      return policy.outboundChecks ? 'checking' : 'forwarding';
    },
    keyOf: (context, variant, service): Treatment => {
      const isInMesh = service !== undefined && !service.meshExternal;
      const forwarding = isInMesh ? 'forwarding' : 'withholding';
      if (variant !== 'checking') return forwarding;
      const checking = service !== undefined && isChecked(context, service) ? 'checked' : 'unchecked';
      const failPolicies = failPoliciesOf(context);
      if (!failPolicies.hasAny) return `${forwarding} ${checking}`;
      return `${forwarding} ${checking} ${service === undefined ? SLOT_OF_PROXY : failPolicies.slotOf(service)}`;
    },
    fieldsFor: (_mesh, key, service) => {
      const [forwarding, checking, slot] = key.split(' ');
      return {
        ...(forwarding === 'forwarding' && service !== undefined ? forwardedAttributes(texts, service) : WITHHELD),
        ...(checking === undefined ? {} : checkSettings(encoder, checking === 'checked' ? service : undefined, slot)),
      };
    },
    affectedBy: (request, context) => {
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
function checkSettings(encoder: MessageEncoder, service: Service | undefined, slot: string | undefined): RouteFields {
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
      [outboundHttpCheckName(Number(slot))]: settings,
    },
  };
}
