import type { MeshService } from '../mesh/mesh-shape.js';
import type { NodeIdentity } from '../wire/node-message.js';
import { WITNESS } from './expectation.js';

/**
 * Identities of `count` sidecars. They are spread over the services, which are spread over the namespaces, and each
 * has the address of one of its service's endpoints, so that the server has inbound configuration to build for it.
 *
 * @param onDemand all of them learn what they call, except the witness
 */
export function buildSidecarIdentities(
  services: readonly MeshService[],
  count: number,
  onDemand = false,
): readonly NodeIdentity[] {
  return Array.from({ length: count }, (_, index) => {
    const service = services[index % services.length];
    const endpoint = service?.endpoints[Math.floor(index / services.length) % service.endpoints.length];
    if (service === undefined || endpoint === undefined) {
      throw new RangeError('Sidecars need a mesh with at least one service and one endpoint.');
    }
    const { namespace } = service;
    return {
      id: `sidecar~${endpoint.address}~pod-${index}.${namespace}~${namespace}.svc.cluster.local`,
      cluster: `${service.name}.${namespace}`,
      metadata: {
        NAMESPACE: namespace,
        INSTANCE_IPS: endpoint.address,
        CLUSTER_ID: 'Orchestrator',
        SERVICE_ACCOUNT: 'default',
        LABELS: { app: service.name },
        ...(onDemand && index !== WITNESS ? { ON_DEMAND: 'true' } : {}),
      },
    };
  });
}
