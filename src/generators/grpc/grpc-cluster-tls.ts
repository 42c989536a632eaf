import type { Endpoint } from '../../model/endpoint.js';
import { modeOfPort } from '../../model/security/mutual-tls.js';
import type { NamespaceMutualTls } from '../../model/security/namespace-mutual-tls.js';
import type { ServiceCluster } from '../../model/traffic/mesh-traffic.js';
import { takesMutualTls } from '../security/endpoint-tls.js';

/** The TLS of a cluster: of the mesh, or none. `unsupported`: gRPC cannot do what the policy demands. */
export type GrpcTlsMode = 'mesh' | 'plaintext' | 'unsupported';

export interface GrpcTlsInput {
  readonly cluster: ServiceCluster;
  /** All endpoints of the cluster. */
  readonly endpoints: readonly Endpoint[];
  /** Mutual TLS of the namespace of the service. */
  readonly namespace: NamespaceMutualTls;
  /** Whether the bootstrap of the client has certificates. */
  readonly hasCertificates: boolean;
  /** Whether the mesh uses mutual TLS by itself (`enableAutoMtls`). */
  readonly isAutomatic: boolean;
}

/**
 * gRPC has one kind of connection for all endpoints of a cluster. So automatic mutual TLS needs endpoints that all take
 * it, or one that takes nothing else (STRICT): a library may send the first call before a server refuses its plaintext.
 * What a policy demands is never left out: a client without certificates gets no such cluster.
 */
export function grpcTlsMode({ cluster, endpoints, namespace, ...client }: GrpcTlsInput): GrpcTlsMode {
  const { tls } = cluster.policy;
  switch (tls.mode) {
    case 'plaintext':
      return 'plaintext';
    case 'own':
      return 'unsupported';
    case 'mesh':
      return client.hasCertificates ? 'mesh' : 'unsupported';
    case 'automatic': {
      if (!client.isAutomatic) return 'plaintext';
      const takers = endpoints.filter((endpoint) => takesMutualTls(endpoint, namespace));
      if (takers.some(({ labels, port }) => modeOfPort(namespace.ofWorkload(labels), port) === 'STRICT')) {
        return client.hasCertificates ? 'mesh' : 'unsupported';
      }
      const canAll = takers.length > 0 && takers.length === endpoints.length;
      return client.hasCertificates && canAll ? 'mesh' : 'plaintext';
    }
  }
}
