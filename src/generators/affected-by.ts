import type { ProxyType } from '../model/proxy.js';
import type { PushContext } from '../model/push-context.js';
import { kindOfKey, type PushRequest } from '../model/push-request.js';
import type { Service } from '../model/service.js';

/**
 * Kinds that reach clusters and endpoints in no other way than through the endpoints that they make, which
 * a request names on their own (PushRequest.endpoints).
 */
const WORKLOAD_KINDS = ['Endpoints', 'EndpointSlice', 'Pod', 'Node', 'Namespace', 'WorkloadEntry'] as const;

/** Kinds that no cluster and no endpoint depends on (table in BEHAVIOUR 5, "Per-proxy order"). */
const ROUTING_KINDS = [
  'VirtualService',
  'Gateway',
  'QuotaSpec',
  'QuotaSpecBinding',
  'HTTPAPISpec',
  'HTTPAPISpecBinding',
  'AuthorizationPolicy',
  'RequestAuthentication',
] as const;

const IRRELEVANT_KINDS: Readonly<Record<ProxyType, ReadonlySet<string>>> = {
  sidecar: new Set([...WORKLOAD_KINDS, ...ROUTING_KINDS]),
  router: new Set([...WORKLOAD_KINDS, ...ROUTING_KINDS, 'Sidecar']),
};

/**
 * Endpoints matter to clusters where the proxy resolves their names itself, for those are in the cluster; and by their
 * identities, which clusters name. Other identities, and other endpoints of headless services, make a push a full one.
 *
 * @param context the snapshot after the change; without it the endpoints of a full push may be such ones
 */
export function clustersAffectedBy(request: PushRequest, proxyType: ProxyType, context?: PushContext): boolean {
  const ofEndpoints =
    context === undefined
      ? request.full && request.endpoints.size > 0
      : touchesEndpointsOf(
          request,
          context,
          ({ resolution, meshExternal }) =>
            resolution === 'dns' || (request.full && context.mesh.enableAutoMtls && !meshExternal),
        );
  return ofEndpoints || (request.full && touchesKinds(request, proxyType));
}

/** Whether endpoints changed of such a service; a host that several namespaces claim stands for all its services. */
export function touchesEndpointsOf(
  { endpoints }: PushRequest,
  { servicesByHost, shadowedByHost }: PushContext,
  isMeant: (service: Service) => boolean,
): boolean {
  for (const hostname of endpoints) {
    const service = servicesByHost.get(hostname);
    if (service !== undefined && isMeant(service)) return true;
    if (shadowedByHost.get(hostname)?.some(isMeant) === true) return true;
  }
  return false;
}

export function endpointsAffectedBy(request: PushRequest, proxyType: ProxyType): boolean {
  return request.endpoints.size > 0 || (request.full && touchesKinds(request, proxyType));
}

function touchesKinds({ changed }: PushRequest, proxyType: ProxyType): boolean {
  if (changed === 'everything') return true;
  const irrelevant = IRRELEVANT_KINDS[proxyType];
  for (const key of changed) if (!irrelevant.has(kindOfKey(key))) return true;
  return false;
}
