import type { MeshConfig, PolicyMeshConfig } from '../../../src/config/mesh/mesh-config.js';
import { MESH } from '../../generators/context-builder.js';

/** A mesh config with these policy settings over the defaults. */
export function meshWith(policy: Partial<PolicyMeshConfig>): MeshConfig {
  return { ...MESH, policy: { ...MESH.policy, ...policy } };
}

/** Checks and reports of everything, by the server in the discovery process. */
export const EVERYTHING_ON: Partial<PolicyMeshConfig> = {
  mixerCheckServer: 'embedded',
  mixerReportServer: 'embedded',
  disablePolicyChecks: false,
  disableMixerHttpReports: false,
  enableClientSidePolicyCheck: true,
};
