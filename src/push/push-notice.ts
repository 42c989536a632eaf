import type { ResourceGenerator } from '../generators/generator.js';
import type { ProxyType } from '../model/proxy.js';
import type { PushContext } from '../model/push-context.js';
import type { PushRequest } from '../model/push-request.js';

/** A push as subscribers see it: the changes, and the types that they can concern. */
export interface PushNotice {
  readonly request: PushRequest;
  /** Whether the changes can alter the resources of this type for proxies of this kind. Computed once per push. */
  concerns(generator: ResourceGenerator, proxyType: ProxyType): boolean;
}

/** @param context the snapshot after the change. */
export function createPushNotice(request: PushRequest, context: PushContext): PushNotice {
  const known: Record<ProxyType, Map<ResourceGenerator, boolean>> = { sidecar: new Map(), router: new Map() };
  return {
    request,
    concerns: (generator, proxyType) => {
      let concerned = known[proxyType].get(generator);
      if (concerned === undefined) {
        concerned = generator.affectedBy(request, proxyType, context);
        known[proxyType].set(generator, concerned);
      }
      return concerned;
    },
  };
}
