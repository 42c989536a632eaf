import { type ServedGroup, traitsOf } from '../config/kind-traits.js';
import type { ProxyType } from '../model/proxy.js';
import type { PushContext } from '../model/push-context.js';
import { kindOfKey, type PushRequest } from '../model/push-request.js';
import type { Service } from '../model/service.js';
import { readsEndpoints } from './listeners/outbound/service-bindings.js';

/**
 * Whether clusters can change. They contain endpoints where the proxy resolves their names itself, and they name the
 * identities of endpoints. A change of identities, or of the endpoints of headless services, makes a push a full one.
 *
 * @param context the snapshot after the change; without it the endpoints of any full push count
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
  return ofEndpoints || (request.full && kindsAffect(request, 'clusters', proxyType));
}

/**
 * Whether the request names endpoints of a service that `isMeant` accepts. A host stands for all services of that host.
 */
function touchesEndpointsOf(
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
  return request.endpoints.size > 0 || (request.full && kindsAffect(request, 'endpoints', proxyType));
}

/** Whether an object of the request can change the resources of a group, by the traits of its kind. */
export function kindsAffect({ changed }: PushRequest, group: ServedGroup, proxyType: ProxyType = 'sidecar'): boolean {
  if (changed === 'everything') return true;
  for (const key of changed) {
    const { affects, sidecarsOnly, routersOnly } = traitsOf(kindOfKey(key));
    const isForOthers = (sidecarsOnly && proxyType !== 'sidecar') || (routersOnly && proxyType !== 'router');
    if (affects.has(group) && !isForOthers) return true;
  }
  return false;
}

/** Whether route tables can change. They do not depend on endpoints. */
export function routesAffectedBy(request: PushRequest, proxyType: ProxyType): boolean {
  return request.full && kindsAffect(request, 'routes', proxyType);
}

/**
 * Whether listeners can change. Those of sidecars depend on endpoints for headless services: the addresses of their pods
 * are in pod listeners and in DNS answers.
 *
 * @param context the snapshot after the change; without it every changed endpoint counts
 */
export function listenersAffectedBy(request: PushRequest, proxyType: ProxyType, context?: PushContext): boolean {
  if (proxyType === 'sidecar') {
    if (request.fastQuotas) return true;
    const ofPods =
      context === undefined ? request.endpoints.size > 0 : touchesEndpointsOf(request, context, readsEndpoints);
    if (ofPods) return true;
  }
  return request.full && kindsAffect(request, 'listeners', proxyType);
}
