import type { ResourceGenerator } from '../generators/generator.js';
import type { ProxyType } from '../model/proxy.js';
import type { PushContext } from '../model/push-context.js';
import type { PushRequest } from '../model/push-request.js';

/** A push as everybody is told of it: what changed, and which types that can concern. */
export interface PushNotice {
  readonly request: PushRequest;
  /** Whether the change can alter what proxies of this kind are served of the type; found out once per push. */
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
