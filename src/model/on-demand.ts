import type { Proxy } from './proxy.js';
import type { PushContext } from './push-context.js';

/**
 * Whether a proxy learns clusters and virtual hosts when its workload calls them (docs/on-demand.md). Its own choice
 * (metadata ON_DEMAND) overrides the mesh config.
 */
export function isOnDemand({ mesh }: Pick<PushContext, 'mesh'>, proxy: Proxy): boolean {
  return proxy.speaksDelta === true && wantsOnDemand(mesh, proxy);
}

/** Whether a proxy should learn on demand, but cannot: Envoy does so with delta xDS only. */
export function lacksDelta({ mesh }: Pick<PushContext, 'mesh'>, proxy: Proxy): boolean {
  return proxy.speaksDelta !== true && wantsOnDemand(mesh, proxy);
}

function wantsOnDemand(mesh: PushContext['mesh'], { type, metadata }: Proxy): boolean {
  return type === 'sidecar' && (metadata.onDemand ?? mesh.onDemand);
}
