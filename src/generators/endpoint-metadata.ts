import { struct } from '../envoy/struct.js';
import type { Metadata } from '../generated/envoy/config/core/v3/Metadata.js';
import type { Endpoint } from '../model/endpoint.js';

/** Metadata key under which Envoy looks for what selects an endpoint's transport socket. */
const TRANSPORT_SOCKET_MATCH = 'envoy.transport_socket_match';

/** Metadata key of what this control plane tells about clusters and endpoints. */
export const MESH_METADATA = 'mesh';

/**
 * Metadata of an endpoint (BEHAVIOUR 5, "EDS"): its network, and `tlsMode: mesh` where it takes mutual TLS,
 * which is what a cluster's transport_socket_matches select by. Undefined when there is nothing to say.
 */
export function buildEndpointMetadata(endpoint: Pick<Endpoint, 'network' | 'tlsMode'>): Metadata | undefined {
  const { network, tlsMode } = endpoint;
  if (network === '' && tlsMode !== 'mesh') return undefined;
  return {
    filterMetadata: {
      ...(tlsMode === 'mesh' ? { [TRANSPORT_SOCKET_MATCH]: struct({ tlsMode }) } : {}),
      ...(network === '' ? {} : { [MESH_METADATA]: struct({ network }) }),
    },
  };
}
