import type { MeshConfig } from '../../config/mesh/mesh-config.js';

/**
 * The namespace of the Service `ingressService`, and of the Gateways of Ingresses.
 *
 * @param configured ORCH_INGRESS_NS; empty for the root namespace
 */
export function ingressNamespaceOf({ rootNamespace }: Pick<MeshConfig, 'rootNamespace'>, configured = ''): string {
  return configured === '' ? rootNamespace : configured;
}
