import { buildExtAuthzPerRoute } from '../../envoy/http-ext-authz.js';
import type { MessageEncoder } from '../../envoy/message-encoder.js';
import { serviceAttributesOf } from '../../model/policy/service-config.js';
import type { PushContext } from '../../model/push-context.js';
import type { Service } from '../../model/service.js';
import { FORWARDED_ATTRIBUTES_HEADER, SERVICE_EXTENSION } from '../../policy/wire/call-metadata.js';
import type { ConfigEncoder } from '../../policy/wire/config-encoder.js';
import { kindsAffect } from '../kinds-affect.js';
import type { RouteFields, RoutePlugin } from '../routes/route-plugin.js';
import { OUTBOUND_HTTP_CHECK } from './filter-names.js';
import { createPolicyReach } from './policy-reach.js';
import { createPolicyServerLookup } from './policy-server-hosts.js';
import type { PolicyFactsOf } from './proxy-facts.js';

/** What a route does about policy: which attributes it forwards, and what it tells the check. */
type Treatment = `${'forwarding' | 'withholding'}${'' | ' checked' | ' unchecked'}`;

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
      const checked = service !== undefined && isChecked(context, service);
      return checked ? `${forwarding} checked` : `${forwarding} unchecked`;
    },
    fieldsFor: (_mesh, key, service) => {
      const [forwarding, checking] = key.split(' ');
      return {
        ...(forwarding === 'forwarding' && service !== undefined ? forwardedAttributes(texts, service) : WITHHELD),
        ...(checking === undefined ? {} : checkSettings(encoder, checking === 'checked' ? service : undefined)),
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

function checkSettings(encoder: MessageEncoder, service: Service | undefined): RouteFields {
  const settings =
    service === undefined ? 'unchecked' : { contextExtensions: { [SERVICE_EXTENSION]: service.hostname } };
  return { typedPerFilterConfig: { [OUTBOUND_HTTP_CHECK]: buildExtAuthzPerRoute(encoder, settings) } };
}
