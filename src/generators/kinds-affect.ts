import { type ServedGroup, traitsOf } from '../config/kind-traits.js';
import type { ProxyType } from '../model/proxy.js';
import { kindOfKey, type PushRequest } from '../model/push-request.js';

/** Whether an object that a request names can change what proxies are served of a group, by the traits of its kind. */
export function kindsAffect({ changed }: PushRequest, group: ServedGroup, proxyType: ProxyType = 'sidecar'): boolean {
  if (changed === 'everything') return true;
  for (const key of changed) {
    const { affects, sidecarsOnly } = traitsOf(kindOfKey(key));
    if (affects.has(group) && !(sidecarsOnly && proxyType !== 'sidecar')) return true;
  }
  return false;
}
