import type { ProxyType } from '../../model/proxy.js';
import type { PushContext } from '../../model/push-context.js';
import { kindOfKey, type PushRequest } from '../../model/push-request.js';
import { REACH_KINDS } from './policy-reach.js';

/**
 * Kinds that no filter of a proxy depends on. Specs are not among what proxies are told, and workloads come in only as
 * a proxy's own services, whose changes a request names by address.
 */
const IRRELEVANT_KINDS: ReadonlySet<string> = new Set([
  'QuotaSpec',
  'HTTPAPISpec',
  'AuthorizationPolicy',
  'DestinationRule',
  'Gateway',
  'PeerAuthentication',
  'RequestAuthentication',
  'VirtualService',
  'Endpoints',
  'EndpointSlice',
  'Node',
  'Pod',
  'WorkloadEntry',
]);

const LABELLING_KIND = 'QuotaSpecBinding';

/**
 * HTTPAPISpecBindings and grants matter only to the embedded server's checks, which are on where there is a policy.
 * QuotaSpecBindings name labels that every proxy tells. Nothing matters while the plugin is inactive, but what may have
 * made it so.
 *
 * @param context the snapshot after the change; without it the plugin may be active in any way
 */
export function extensionConfigsAffectedBy(
  request: PushRequest,
  proxyType: ProxyType,
  context?: Pick<PushContext, 'mesh'>,
): boolean {
  if (proxyType !== 'sidecar' || !request.full) return false;
  if (request.changed === 'everything') return true;
  const policy = context?.mesh.policy;
  if (policy?.mixerCheckServer === '') return false;
  const readsBindings = policy === undefined || policy.mixerCheckServer === 'embedded';
  for (const key of request.changed) {
    const kind = kindOfKey(key);
    if (kind === LABELLING_KIND) return true;
    if (REACH_KINDS.has(kind) ? readsBindings : !IRRELEVANT_KINDS.has(kind)) return true;
  }
  return false;
}
