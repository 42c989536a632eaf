import type { GatewayServer, ServerHost } from '../../model/gateways/gateway-server.js';
import type { RouterPorts } from '../../model/gateways/merge-servers.js';
import type { Service } from '../../model/service.js';
import type { ServiceCluster } from '../../model/traffic/mesh-traffic.js';
import type { TrafficView } from '../../model/traffic/traffic-view.js';
import { serverNameOf } from '../destination-names.js';

/** A cluster that mutual TLS of the mesh reaches through a router, which does not decrypt it. */
export interface PassedCluster {
  /** Name of the cluster and server name (SNI) of its connections. */
  readonly name: string;
  readonly cluster: ServiceCluster;
}

/** Whether a host pattern covers a host of the namespace. */
function coversHost({ namespace, host: pattern }: ServerHost, hostname: string, ofNamespace: string): boolean {
  if (namespace !== '*' && namespace !== ofNamespace) return false;
  if (pattern === '*') return true;
  const host = hostname.toLowerCase();
  return pattern.startsWith('*.') ? host.endsWith(pattern.slice(1)) : host === pattern;
}

/** The clusters of AUTO_PASSTHROUGH servers: those of services in the mesh that their hosts cover; each once. */
export function passedClusters(servers: readonly GatewayServer[], traffic: TrafficView): readonly PassedCluster[] {
  if (servers.length === 0) return [];
  const hosts = servers.flatMap((server) => server.hosts);
  const passed = new Map<string, PassedCluster>();
  for (const service of traffic.services.services) {
    if (!takesMeshTls(service)) continue;
    if (!hosts.some((host) => coversHost(host, service.hostname, service.namespace))) continue;
    for (const cluster of traffic.clustersOf(service)) {
      // Envoy compares server names in lower case.
      const name = serverNameOf(cluster.destination).toLowerCase();
      if (!passed.has(name)) passed.set(name, { name, cluster });
    }
  }
  return [...passed.values()];
}

export function autoPassthroughServers({ ports }: RouterPorts): readonly GatewayServer[] {
  return ports.flatMap(({ servers }) => servers.filter(({ traffic }) => traffic === 'autoPassthrough'));
}

function takesMeshTls({ resolution, meshExternal }: Service): boolean {
  return resolution === 'endpoints' && !meshExternal;
}
