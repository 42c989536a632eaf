import type { MeshConfig } from '../../config/mesh/mesh-config.js';
import { adsConfigSource } from '../../envoy/config-source.js';
import { duration } from '../../envoy/durations.js';
import type { Cluster } from '../../generated/envoy/config/cluster/v3/Cluster.js';
import type { ProxyType } from '../../model/proxy.js';
import type { Service } from '../../model/service.js';
import { needsCredential } from '../../model/traffic/client-tls.js';
import type { ClusterPolicy } from '../../model/traffic/cluster-policy.js';
import type { ServiceCluster } from '../../model/traffic/mesh-traffic.js';
import { clusterOf } from '../destination-names.js';
import { buildLoadAssignment, type LoadTarget } from '../endpoints/load-assignment.js';
import type { GeneratorSettings } from '../settings.js';
import { buildServiceMetadata, clusterStatName } from './cluster-defaults.js';
import { buildConnectionPool, buildLoadBalancing, buildOutlierDetection } from './connection-pool.js';
import type { TlsFields } from './outbound-tls.js';
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
    case 'none':
      return { type: 'STATIC' };
  }
}

/** How a proxy gets the endpoints of an outbound cluster; `none`: it has none, and requests fail. */
export type OutboundDiscovery = 'eds' | 'dns' | 'originalDestination' | 'none';

/**
 * A sidecar keeps the address that its application connected to where the service or the policy says so, and for headless
 * services, whose clients choose the pod themselves. A router has no such address to keep: the connection was made to the
 * router itself. A sidecar does not get the certificates of a `credentialName`, so it gets no endpoints either: without
 * certificates it would send the requests to a server that it cannot verify.
 *
 * @param edsForHeadless NAV_ENABLE_EDS_FOR_HEADLESS_SERVICES
 */
export function outboundDiscovery(
  service: Pick<Service, 'resolution' | 'headless'>,
  { loadBalancer, tls }: Pick<ClusterPolicy, 'loadBalancer' | 'tls'>,
  proxyType: ProxyType,
  edsForHeadless: boolean,
): OutboundDiscovery {
  if (proxyType === 'sidecar' && needsCredential(tls)) return 'none';
  if (proxyType === 'sidecar' && loadBalancer.type === 'originalDestination') return 'originalDestination';
  if (service.resolution === 'dns') return 'dns';
  if (proxyType === 'router') return 'eds';
  if (service.headless) return edsForHeadless ? 'eds' : 'originalDestination';
  return service.resolution === 'passthrough' ? 'originalDestination' : 'eds';
}
