import type { ProxyType } from '../model/proxy.js';
import type { PushContext } from '../model/push-context.js';
import type { PushRequest } from '../model/push-request.js';
import type { Service } from '../model/service.js';
import { kindsAffect } from './kinds-affect.js';

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
  return ofEndpoints || (request.full && kindsAffect(request, 'clusters', proxyType));
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
  return request.endpoints.size > 0 || (request.full && kindsAffect(request, 'endpoints', proxyType));
}
