import type { ServedGroup } from '../../config/kind-traits.js';
import type { ProxyType } from '../../model/proxy.js';
import type { PushContext } from '../../model/push-context.js';
import type { PushRequest } from '../../model/push-request.js';
import { kindsAffect } from '../affected-by.js';

/**
 * Whether a change affects the filters of policy. Grants matter only for the embedded server, whose checks are on where a
 * binding acts. Bindings name labels that every proxy reports. While the plugin is inactive, only a change of the mesh
 * config matters.
 *
 * @param context the snapshot after the change; without it every setting of the plugin is possible
 */
export function extensionConfigsAffectedBy(
  request: PushRequest,
  proxyType: ProxyType,
  context?: Pick<PushContext, 'mesh'>,
): boolean {
  if (!request.full) return false;
  if (request.changed === 'everything') return true;
  const policy = context?.mesh.policy;
  if (policy?.mixerCheckServer === '') return false;
  if (request.fastQuotas && proxyType === 'sidecar') return true;
  const readsBindings = policy === undefined || policy.mixerCheckServer === 'embedded';
  const affects = (group: ServedGroup): boolean => kindsAffect(request, group, proxyType);
  return affects('filters') || affects('clientConfigs') || (readsBindings && affects('policyReach'));
}

/** Whether services, the specs bound to them, or the mesh config changed. */
export function serviceConfigsAffectedBy(request: PushRequest): boolean {
  return request.full && (request.fastQuotas === true || kindsAffect(request, 'serviceConfigs'));
}

/** Whether an object of the policy runtime, a grant or the mesh config changed. */
export function ruleObjectsAffectedBy(request: PushRequest): boolean {
  return request.full && kindsAffect(request, 'ruleObjects');
}

/** The same as for ServiceConfigs, and whether rules decide about connections. */
export function tcpClientConfigsAffectedBy(request: PushRequest): boolean {
  return serviceConfigsAffectedBy(request) || (request.full && kindsAffect(request, 'policyReach'));
}

/** Whether Plans, Consumers, their keys, grants or the mesh config changed. */
export function plansAffectedBy(request: PushRequest): boolean {
  return request.full && kindsAffect(request, 'plans');
}

/** Whether the mesh config changed, or QuotaSpecBindings name other labels of proxies. */
export function httpClientConfigsAffectedBy(request: PushRequest): boolean {
  return request.full && kindsAffect(request, 'clientConfigs');
}
