import type { MeshConfig } from '../../config/mesh/mesh-config.js';
import { adsConfigSource } from '../../envoy/config-source.js';
import { duration } from '../../envoy/durations.js';
import type { Cluster } from '../../generated/envoy/config/cluster/v3/Cluster.js';
import type { Service } from '../../model/service.js';
import type { ServiceCluster } from '../../model/traffic/mesh-traffic.js';
import { clusterOf } from '../destination-names.js';
import { buildLoadAssignment, type LoadTarget } from '../endpoints/load-assignment.js';
import type { GeneratorSettings } from '../settings.js';
import { buildServiceMetadata } from './cluster-defaults.js';
import { buildConnectionPool, buildOutlierDetection } from './connection-pool.js';
import { buildLoadBalancing } from './load-balancing.js';
import type { OutboundDiscovery } from './outbound-discovery.js';
import type { TlsFields } from './outbound-tls.js';
import { clusterStatName } from './stat-name.js';
import { protocolOfCluster, type UpstreamProtocols } from './upstream-protocols.js';

/** The inputs of an outbound cluster. */
export interface OutboundClusterInput {
  readonly service: Service;
  readonly cluster: ServiceCluster;
  readonly discovery: OutboundDiscovery;
  readonly mesh: MeshConfig;
  /** The names to resolve; read for `dns` alone. */
  readonly targets: readonly LoadTarget[];
  /** Of the proxy; read for `dns` alone, where a policy balances by locality. */
  readonly callerLocality: string;
  /** The proxy has no IPv4 address, so names have to be resolved to IPv6 ones. */
  readonly ipv6Only: boolean;
  readonly tls: TlsFields;
}

export type OutboundClusterSettings = Pick<GeneratorSettings, 'initialFetchTimeoutMs' | 'sniffOutbound'>;

/** The cluster of a service port or of one of its subsets. */
export function buildOutboundCluster(
  input: OutboundClusterInput,
  settings: OutboundClusterSettings,
  protocols: UpstreamProtocols,
): Cluster {
  const { service, cluster, mesh } = input;
  const { port, destination, policy } = cluster;
  const name = clusterOf(destination);
  const statName = mesh.outboundClusterStatName;
  return {
    name,
    ...buildConnectionPool(policy.connections),
    ...(statName === ''
      ? {}
      : { altStatName: clusterStatName(statName, { service, port, subset: destination.subset }) }),
    ...discoveryFields(name, input, settings),
    ...(policy.outliers === undefined ? {} : { outlierDetection: buildOutlierDetection(policy.outliers) }),
    ...input.tls,
    ...protocols.of(protocolOfCluster(cluster, settings.sniffOutbound), policy.connections),
    metadata: buildServiceMetadata(service),
  };
}

function discoveryFields(
  name: string,
  { discovery, mesh, targets, callerLocality, ipv6Only, cluster: { policy } }: OutboundClusterInput,
  { initialFetchTimeoutMs }: OutboundClusterSettings,
): Cluster {
  switch (discovery) {
    case 'eds':
      return {
        type: 'EDS',
        edsClusterConfig: { edsConfig: adsConfigSource(initialFetchTimeoutMs), serviceName: name },
        ...buildLoadBalancing(policy),
      };
    case 'dns': {
      const balance = policy.localities && { callerLocality, policy: policy.localities };
      return {
        type: 'STRICT_DNS',
        loadAssignment: buildLoadAssignment(name, targets, balance),
        dnsLookupFamily: ipv6Only ? 'V6_ONLY' : 'V4_ONLY',
        dnsRefreshRate: duration(mesh.dnsRefreshRateMs),
        respectDnsTtl: true,
        ...buildLoadBalancing(policy),
      };
    }
    case 'originalDestination':
      return { type: 'ORIGINAL_DST', lbPolicy: 'CLUSTER_PROVIDED' };
  }
}
