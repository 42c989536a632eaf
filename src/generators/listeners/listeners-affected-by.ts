import type { ProxyType } from '../../model/proxy.js';
import type { PushContext } from '../../model/push-context.js';
import type { PushRequest } from '../../model/push-request.js';
import { touchesEndpointsOf } from '../affected-by.js';
import { kindsAffect } from '../kinds-affect.js';
import { readsEndpoints } from './outbound/service-claims.js';

/**
 * Endpoints matter to listeners only where a headless service's addresses are those of its pods: in pod
 * listeners and in DNS answers. Routers have no listeners yet.
 *
 * @param context the snapshot after the change; without it every changed endpoint counts
 */
export function listenersAffectedBy(request: PushRequest, proxyType: ProxyType, context?: PushContext): boolean {
  if (proxyType !== 'sidecar') return false;
  const ofPods =
    context === undefined ? request.endpoints.size > 0 : touchesEndpointsOf(request, context, readsEndpoints);
  if (ofPods) return true;
  return request.full && kindsAffect(request, 'listeners');
}
