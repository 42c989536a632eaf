import type { MeshConfig } from './mesh-config.js';

/** `meshd.mesh-system.svc` of `meshd.mesh-system.svc:15012`; an IPv6 address without its brackets. */
export function discoveryHostOf({ defaultConfig }: Pick<MeshConfig, 'defaultConfig'>): string {
  return defaultConfig.discoveryAddress.replace(/:\d+$/, '').replace(/^\[|\]$/g, '');
}
