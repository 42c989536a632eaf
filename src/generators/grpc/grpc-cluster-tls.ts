import type { Endpoint } from '../../model/endpoint.js';
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
 * it. What a policy demands is never left out: a client without certificates gets no such cluster.
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
      const canAll = endpoints.length > 0 && endpoints.every((endpoint) => takesMutualTls(endpoint, namespace));
      return client.hasCertificates && client.isAutomatic && canAll ? 'mesh' : 'plaintext';
    }
  }
}
