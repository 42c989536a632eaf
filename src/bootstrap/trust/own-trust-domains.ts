import type { MeshConfig } from '../../config/mesh/mesh-config.js';

/**
 * The mesh's own trust domain and then its aliases.
 *
 * @param flag `--trust-domain`; empty: of the mesh config
 */
export function ownTrustDomains(flag: string, mesh: MeshConfig): readonly [string, ...string[]] {
  return [flag === '' ? mesh.trustDomain : flag, ...mesh.trustDomainAliases];
}
