import type { MeshConfig } from '../../config/mesh/mesh-config.js';
import { adsConfigSource } from '../../envoy/config-source.js';
import type { MessageEncoder } from '../../envoy/message-encoder.js';
import { struct } from '../../envoy/struct.js';
import { buildPlaintext, buildUpstreamMutualTls } from '../../envoy/tls-context.js';
import type { Cluster } from '../../generated/envoy/config/cluster/v3/Cluster.js';
import type { ServiceEndpoints } from '../../model/endpoint.js';
import type { NamespaceMutualTls } from '../../model/security/namespace-mutual-tls.js';
import type { ServiceCluster } from '../../model/traffic/mesh-traffic.js';
import { serverNameOf } from '../destination-names.js';
import { credentialConfigSource } from '../security/credential-source.js';
import { takesMutualTls } from '../security/endpoint-tls.js';
import { HTTP_CLIENT_PROTOCOLS, TCP_CLIENT_PROTOCOLS } from '../security/mesh-protocols.js';
import { serverNames } from '../security/trusted-names.js';
import type { GeneratorSettings } from '../settings.js';
import { trafficClass } from '../traffic-class.js';
import type { OutboundDiscovery } from './outbound-cluster.js';
import { buildOwnTls } from './own-tls.js';
import { protocolOfCluster } from './upstream-protocols.js';

/**
 * The endpoints of a cluster that get TLS: `perEndpoint` those that take the mesh's mutual TLS, `always` all of them,
 * `never` none.
 */
export type ClusterTlsMode = 'perEndpoint' | 'always' | 'never';

/** The inputs of a cluster's TLS, beside its mode. */
export interface OutboundTlsInput {
  readonly mesh: MeshConfig;
  readonly cluster: ServiceCluster;
  /** Identities of the service's endpoints. */
  readonly serviceAccounts: readonly string[];
}

export type TlsFields = Pick<Cluster, 'transportSocket' | 'transportSocketMatches'>;

/** Fields to spread into a cluster. */
export type OutboundTls = (mode: ClusterTlsMode, input: OutboundTlsInput) => TlsFields;

export function createOutboundTls(encoder: MessageEncoder, settings: GeneratorSettings): OutboundTls {
  const configSource = adsConfigSource(settings.initialFetchTimeoutMs);
  const credentialSource = credentialConfigSource(settings);
  const plaintext = { name: 'tlsMode-disabled', match: {}, transportSocket: buildPlaintext(encoder) };
  const matchMesh = struct({ tlsMode: 'mesh' });
  const socketOf = ({ mesh, cluster, serviceAccounts }: OutboundTlsInput) => {
    const { port, destination, policy } = cluster;
    const { tls } = policy;
    if (tls.mode === 'own') {
      const isHttp2 = protocolOfCluster(cluster, settings.sniffOutbound) === 'http2';
      return buildOwnTls(encoder, tls, { configSource, credentialSource, isHttp2 });
    }
    const isHttp = trafficClass(port.protocol, settings.sniffOutbound) === 'http';
    const serverName = 'serverName' in tls ? tls.serverName : undefined;
    const subjectAltNames = 'subjectAltNames' in tls ? tls.subjectAltNames : [];
    return buildUpstreamMutualTls(encoder, serverName ?? serverNameOf(destination), {
      configSource,
      peerNames: serverNames(mesh, settings, serviceAccounts, subjectAltNames),
      applicationProtocols: isHttp ? HTTP_CLIENT_PROTOCOLS : TCP_CLIENT_PROTOCOLS,
    });
  };
  return (mode, input) => {
    switch (mode) {
      case 'never':
        return {};
      case 'always':
        return { transportSocket: socketOf(input) };
      case 'perEndpoint':
        return {
          transportSocketMatches: [
            { name: 'tlsMode-mesh', match: matchMesh, transportSocket: socketOf(input) },
            plaintext,
          ],
        };
    }
  };
}

/**
 * A cluster with `automatic` TLS that keeps the original destination does not name its endpoints to Envoy: either all of
 * them take mutual TLS, or the connections are in plaintext.
 *
 * @param sendsMutualTls whether the proxy has a certificate of the mesh, and the mesh uses mutual TLS by itself
 * @param namespace the mutual TLS of workloads in the service's namespace
 */
export function clusterTlsMode(
  { port, policy }: ServiceCluster,
  discovery: OutboundDiscovery,
  sendsMutualTls: boolean,
  endpoints: ServiceEndpoints | undefined,
  namespace: NamespaceMutualTls,
): ClusterTlsMode {
  if (discovery === 'none') return 'never';
  switch (policy.tls.mode) {
    case 'plaintext':
      return 'never';
    case 'mesh':
    case 'own':
      return 'always';
    case 'automatic': {
      if (!sendsMutualTls) return 'never';
      if (discovery !== 'originalDestination') return 'perEndpoint';
      const ofPort = [...(endpoints?.shards.values() ?? [])].flat().filter(({ portName }) => portName === port.name);
      return ofPort.length > 0 && ofPort.every((each) => takesMutualTls(each, namespace)) ? 'always' : 'never';
    }
  }
}
