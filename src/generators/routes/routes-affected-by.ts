import type { ProxyType } from '../../model/proxy.js';
import type { PushRequest } from '../../model/push-request.js';
import { kindsAffect } from '../kinds-affect.js';

/** Route tables never depend on endpoints. Routers have none yet. */
export function routesAffectedBy(request: PushRequest, proxyType: ProxyType): boolean {
  return proxyType === 'sidecar' && request.full && kindsAffect(request, 'routes');
}
