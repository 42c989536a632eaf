/**
 * Whether a host is served by endpoints of the proxy's own cluster only (`serviceSettings` of the mesh
 * config). @param hosts exact names, or `*.` and a suffix.
 */
export function isClusterLocal(hostname: string, hosts: readonly string[]): boolean {
  return hosts.some((host) => (host.startsWith('*.') ? hostname.endsWith(host.slice(1)) : hostname === host));
}
