import type { ProxyType } from '../../model/proxy.js';
import { kindOfKey, type PushRequest } from '../../model/push-request.js';

/** Kinds that no sidecar's route table depends on (table in BEHAVIOUR 5, "Per-proxy order"). */
const IRRELEVANT_KINDS: ReadonlySet<string> = new Set([
  'AuthorizationPolicy',
  'Gateway',
  // Plugins that read them say so themselves.
  'HTTPAPISpec',
  'HTTPAPISpecBinding',
  'QuotaSpec',
  'QuotaSpecBinding',
  'PeerAuthentication',
  'RequestAuthentication',
  // Workloads are behind clusters; no table reads them.
  'Endpoints',
  'EndpointSlice',
  'Node',
  'Pod',
  'WorkloadEntry',
]);

/** Route tables never depend on endpoints. Routers have none yet. */
export function routesAffectedBy(request: PushRequest, proxyType: ProxyType): boolean {
  if (proxyType !== 'sidecar' || !request.full) return false;
  if (request.changed === 'everything') return true;
  for (const key of request.changed) if (!IRRELEVANT_KINDS.has(kindOfKey(key))) return true;
  return false;
}
