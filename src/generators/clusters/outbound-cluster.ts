import type { MeshConfig } from '../../config/mesh/mesh-config.js';
import { adsConfigSource } from '../../envoy/config-source.js';
import { duration } from '../../envoy/durations.js';
import type { Cluster } from '../../generated/envoy/config/cluster/v3/Cluster.js';
import type { Port, Service } from '../../model/service.js';
import { destinationOf } from '../../model/traffic/service-traffic.js';
import { clusterOf } from '../destination-names.js';
import { buildLoadAssignment, type LoadTarget } from '../endpoints/load-assignment.js';
import type { GeneratorSettings } from '../settings.js';
import { buildClusterBase, buildServiceMetadata } from './cluster-defaults.js';
import type { OutboundDiscovery } from './outbound-discovery.js';
import type { TlsFields } from './outbound-tls.js';
import { clusterStatName } from './stat-name.js';
import { protocolsOfPort, type UpstreamProtocols } from './upstream-protocols.js';

/** What an outbound cluster is made from. */
export interface OutboundClusterFacts {
  readonly service: Service;
  readonly port: Port;
  readonly discovery: OutboundDiscovery;
  readonly mesh: MeshConfig;
  /** Read for `dns` alone: the names to resolve. */
  readonly targets: readonly LoadTarget[];
  /** The proxy has no IPv4 address, so names have to be resolved to IPv6 ones. */
  readonly ipv6Only: boolean;
  /** How its connections are secured. */
  readonly tls: TlsFields;
}

export type OutboundClusterSettings = Pick<GeneratorSettings, 'initialFetchTimeoutMs' | 'sniffOutbound'>;

/** The cluster of one service port (BEHAVIOUR 5, "Clusters"). */
export function buildOutboundCluster(
  facts: OutboundClusterFacts,
  settings: OutboundClusterSettings,
  protocols: UpstreamProtocols,
): Cluster {
  const { service, port, mesh } = facts;
  const destination = destinationOf(service, port.number);
  const name = clusterOf(destination);
  const statName = mesh.outboundClusterStatName;
  return {
    ...buildClusterBase(name, mesh.connectTimeoutMs),
    ...(statName === ''
      ? {}
      : { altStatName: clusterStatName(statName, { service, port, subset: destination.subset }) }),
    ...discoveryFields(name, facts, settings),
    ...facts.tls,
    ...protocols[upgradesToHttp2(facts) ? 'http2' : protocolsOfPort(port.protocol, settings.sniffOutbound)],
    metadata: buildServiceMetadata(service),
  };
}

function discoveryFields(
  name: string,
  { discovery, mesh, targets, ipv6Only }: OutboundClusterFacts,
  { initialFetchTimeoutMs }: OutboundClusterSettings,
): Cluster {
  switch (discovery) {
    case 'eds':
      return {
        type: 'EDS',
        edsClusterConfig: { edsConfig: adsConfigSource(initialFetchTimeoutMs), serviceName: name },
        ...BALANCED,
      };
    case 'dns':
      return {
        type: 'STRICT_DNS',
        loadAssignment: buildLoadAssignment(name, targets),
        dnsLookupFamily: ipv6Only ? 'V6_ONLY' : 'V4_ONLY',
        dnsRefreshRate: duration(mesh.dnsRefreshRateMs),
        respectDnsTtl: true,
        ...BALANCED,
      };
    case 'originalDestination':
      return { type: 'ORIGINAL_DST', lbPolicy: 'CLUSTER_PROVIDED' };
  }
}

/** Panic off: an endpoint that is known to be unhealthy is never sent a request. */
const BALANCED: Cluster = { lbPolicy: 'LEAST_REQUEST', commonLbConfig: { healthyPanicThreshold: {} } };

/** Mesh config `h2UpgradePolicy`: HTTP/1.1 between sidecars travels as HTTP/2. */
function upgradesToHttp2({ service, port, mesh }: OutboundClusterFacts): boolean {
  return mesh.h2UpgradePolicy === 'UPGRADE' && port.protocol === 'http' && !service.meshExternal;
}
