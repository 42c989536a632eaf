import type { ServedGroup } from '../../config/kind-traits.js';
import type { ProxyType } from '../../model/proxy.js';
import type { PushContext } from '../../model/push-context.js';
import type { PushRequest } from '../../model/push-request.js';
import { kindsAffect } from '../kinds-affect.js';

/**
 * Grants matter only to the embedded server's checks, which are on where there is a policy. Bindings name labels that
 * every proxy tells. Nothing matters while the plugin is inactive, but what may have
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
  const affects = (group: ServedGroup): boolean => kindsAffect(request, group);
  return affects('filters') || affects('clientConfigs') || (readsBindings && affects('policyReach'));
}
