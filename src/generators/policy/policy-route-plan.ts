import { buildExtAuthzPerRoute } from '../../envoy/http-ext-authz.js';
import type { MessageEncoder } from '../../envoy/message-encoder.js';
import { serviceAttributesOf } from '../../model/policy/service-config.js';
import type { PushContext } from '../../model/push-context.js';
import type { Service } from '../../model/service.js';
import { FORWARDED_ATTRIBUTES_HEADER, RECEIPT_HEADER, SERVICE_EXTENSION } from '../../policy/wire/call-metadata.js';
import type { ConfigEncoder } from '../../policy/wire/config-encoder.js';
import { kindsAffect } from '../affected-by.js';
import type { RoutePlugin } from '../plugins/networking-plugin.js';
import type { RouteFields } from '../plugins/route-plan.js';
import { OUTBOUND_HTTP_CHECK, outboundHttpCheckName } from './filter-names.js';
import { SLOT_OF_PROXY } from './outbound-fail-policies.js';
import type { PolicyLookups } from './policy-lookups.js';

/** What policy does on a route. */
interface RoutePolicyMode {
  /** Whether the route adds the attributes of its service to the forwarded ones. */
  readonly forwards: boolean;
  /** Undefined where the proxy does not check outbound traffic. */
  readonly check: 'checked' | 'unchecked' | undefined;
  /** The check that the route enables; undefined where no service sets a fail policy. */
  readonly slot: number | undefined;
}

/**
 * Routes add the attributes of their service to the forwarded ones, and name the service to outbound checks. A route that
 * leaves the mesh, or leads to an unknown service, removes the forwarded attributes, and the receipt of a gateway.
 */
export function createRoutePlanner(
  encoder: MessageEncoder,
  texts: ConfigEncoder,
  { factsOf, failPoliciesOf, isChecked }: PolicyLookups,
): RoutePlugin {
  const modeOf = (context: PushContext, checks: boolean, service: Service | undefined): RoutePolicyMode => {
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
          const { forwards, check, slot } = modeOf(context, checks, service);
          return [forwards ? 'forwarding' : 'withholding', check, slot].join(' ');
        },
        fieldsFor: (service) => {
          const { forwards, check, slot } = modeOf(context, checks, service);
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

const WITHHELD: RouteFields = { requestHeadersToRemove: [FORWARDED_ATTRIBUTES_HEADER, RECEIPT_HEADER] };

function forwardedAttributes(texts: ConfigEncoder, service: Service): RouteFields {
  const value = texts.attributesSpecText(serviceAttributesOf(service));
  return { requestHeadersToAdd: [{ header: { key: FORWARDED_ATTRIBUTES_HEADER, value } }] };
}

/**
 * Where services set fail policies, listeners have a check in each slot, and the route enables one of them. The check
 * without a slot stays for older listeners that drain.
 *
 * @param slot of the enabled check
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
