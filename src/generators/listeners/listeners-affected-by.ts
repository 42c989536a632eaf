import type { ProxyType } from '../../model/proxy.js';
import type { PushContext } from '../../model/push-context.js';
import { kindOfKey, type PushRequest } from '../../model/push-request.js';
import { touchesEndpointsOf } from '../affected-by.js';
import { readsEndpoints } from './outbound/service-claims.js';

/**
 * Kinds that no sidecar's listener depends on (table in BEHAVIOUR 5, "Per-proxy order"), or only by the
 * endpoints that are made from them, which a request names on their own.
 */
const IRRELEVANT_KINDS: ReadonlySet<string> = new Set([
  'DestinationRule',
  'Gateway',
  // What policies change has a filter of its own configuration (ECDS).
  'HTTPAPISpec',
  'HTTPAPISpecBinding',
  'QuotaSpec',
  'QuotaSpecBinding',
  'Endpoints',
  'EndpointSlice',
  'Node',
]);

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
  if (!request.full) return false;
  if (request.changed === 'everything') return true;
  for (const key of request.changed) if (!IRRELEVANT_KINDS.has(kindOfKey(key))) return true;
  return false;
}
