import type { MeshConfig } from '../../config/mesh/mesh-config.js';
import { BLACK_HOLE_CLUSTER, PASSTHROUGH_CLUSTER } from '../../envoy/names.js';

/** Where outbound connections go that no service claims (mesh config outboundTrafficPolicy). */
export function unclaimedTrafficCluster(mesh: MeshConfig): string {
  return mesh.outboundTrafficPolicy === 'ALLOW_ANY' ? PASSTHROUGH_CLUSTER : BLACK_HOLE_CLUSTER;
}
