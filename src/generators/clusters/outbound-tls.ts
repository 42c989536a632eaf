import type { MeshConfig } from '../../config/mesh/mesh-config.js';
import { adsConfigSource } from '../../envoy/config-source.js';
import type { MessageEncoder } from '../../envoy/message-encoder.js';
import { struct } from '../../envoy/struct.js';
import { buildPlaintext, buildUpstreamMutualTls } from '../../envoy/tls-context.js';
import type { Cluster } from '../../generated/envoy/config/cluster/v3/Cluster.js';
import type { ServiceEndpoints } from '../../model/endpoint.js';
import type { NamespaceMutualTls } from '../../model/security/namespace-mutual-tls.js';
import type { Port, Service } from '../../model/service.js';
import { destinationOf } from '../../model/traffic/service-traffic.js';
import { serverNameOf } from '../destination-names.js';
import { takesMutualTls } from '../security/endpoint-tls.js';
import { HTTP_CLIENT_PROTOCOLS, TCP_CLIENT_PROTOCOLS } from '../security/mesh-protocols.js';
import { serverNames } from '../security/trusted-names.js';
import type { GeneratorSettings } from '../settings.js';
import { trafficClass } from '../traffic-class.js';
import type { OutboundDiscovery } from './outbound-discovery.js';

/** When connections to a cluster are in mutual TLS: to the endpoints that say so, to all of them, or never. */
export type ClusterTlsMode = 'perEndpoint' | 'always' | 'never';

/** What the TLS of a cluster is made from, beside its mode. */
export interface OutboundTlsFacts {
  readonly mesh: MeshConfig;
  readonly service: Service;
  readonly port: Port;
  /** Identities of the service's endpoints. */
  readonly serviceAccounts: readonly string[];
}

export type TlsFields = Pick<Cluster, 'transportSocket' | 'transportSocketMatches'>;

/** Fields to spread into a cluster (BEHAVIOUR 5, "Clusters"). */
export type OutboundTls = (mode: ClusterTlsMode, facts: OutboundTlsFacts) => TlsFields;

export function createOutboundTls(encoder: MessageEncoder, settings: GeneratorSettings): OutboundTls {
  const configSource = adsConfigSource(settings.initialFetchTimeoutMs);
  const plaintext = { name: 'tlsMode-disabled', match: {}, transportSocket: buildPlaintext(encoder) };
  const matchMesh = struct({ tlsMode: 'mesh' });
  const mutualTls = ({ mesh, service, port, serviceAccounts }: OutboundTlsFacts) => {
    const isHttp = trafficClass(port.protocol, settings.sniffOutbound) === 'http';
    return buildUpstreamMutualTls(encoder, serverNameOf(destinationOf(service, port.number)), {
      configSource,
      peerNames: serverNames(mesh, settings, serviceAccounts, service.subjectAltNames),
      applicationProtocols: isHttp ? HTTP_CLIENT_PROTOCOLS : TCP_CLIENT_PROTOCOLS,
    });
  };
  return (mode, facts) => {
    switch (mode) {
      case 'never':
        return {};
      case 'always':
        return { transportSocket: mutualTls(facts) };
      case 'perEndpoint':
        return {
          transportSocketMatches: [
            { name: 'tlsMode-mesh', match: matchMesh, transportSocket: mutualTls(facts) },
            plaintext,
          ],
        };
    }
  };
}

/**
 * Nothing is assumed of services outside of the mesh. Where the proxy keeps the address that its application connected
 * to, it does not know which endpoint that is: all of them have to take mutual TLS, or none is sent any.
 *
 * @param namespace what holds for workloads of the service's namespace
 */
export function clusterTlsMode(
  { meshExternal }: Service,
  { name }: Port,
  discovery: OutboundDiscovery,
  endpoints: ServiceEndpoints | undefined,
  namespace: NamespaceMutualTls,
): ClusterTlsMode {
  if (meshExternal) return 'never';
  if (discovery !== 'originalDestination') return 'perEndpoint';
  const ofPort = [...(endpoints?.shards.values() ?? [])].flat().filter(({ portName }) => portName === name);
  return ofPort.length > 0 && ofPort.every((each) => takesMutualTls(each, namespace)) ? 'always' : 'never';
}
