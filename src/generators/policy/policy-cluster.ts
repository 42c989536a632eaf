import { isIpAddress } from '../../base/ip-address.js';
import type { MeshConfig } from '../../config/mesh/mesh-config.js';
import { adsConfigSource } from '../../envoy/config-source.js';
import { duration } from '../../envoy/durations.js';
import type { Cluster } from '../../generated/envoy/config/cluster/v3/Cluster.js';
import { buildClusterBase } from '../clusters/cluster-defaults.js';
import { buildLoadAssignment } from '../endpoints/load-assignment.js';
import type { GeneratorSettings } from '../settings.js';
import type { ServerAddress } from './policy-server-hosts.js';

/** Where the proxy finds a policy server: by a name that it resolves itself, or by an assignment of its instances. */
export type ServerPlace =
  | ({ readonly type: 'address'; readonly ipv6Only: boolean } & ServerAddress)
  | { readonly type: 'instances'; readonly assignment: string };

/**
 * The request that a check is for waits as well: an instance that cannot be connected to must leave time for another
 * one within the five seconds of a call.
 */
const MAX_CONNECT_TIMEOUT_MS = 1000;

/** The cluster of a policy server, but for its protocol. @param tls plaintext unless given */
export function buildPolicyCluster(
  name: string,
  place: ServerPlace,
  mesh: MeshConfig,
  { initialFetchTimeoutMs }: Pick<GeneratorSettings, 'initialFetchTimeoutMs'>,
  tls: Pick<Cluster, 'transportSocket'> = {},
): Cluster {
  return {
    ...buildClusterBase(name, Math.min(mesh.connectTimeoutMs, MAX_CONNECT_TIMEOUT_MS)),
    ...discoveryFields(name, place, mesh, initialFetchTimeoutMs),
    ...tls,
    commonLbConfig: { healthyPanicThreshold: {} },
  };
}

function discoveryFields(
  name: string,
  place: ServerPlace,
  mesh: MeshConfig,
  initialFetchTimeoutMs: number,
): Partial<Cluster> {
  if (place.type === 'instances') {
    const edsConfig = adsConfigSource(initialFetchTimeoutMs);
    return { type: 'EDS', edsClusterConfig: { edsConfig, serviceName: place.assignment }, lbPolicy: 'LEAST_REQUEST' };
  }
  const { host, port, ipv6Only } = place;
  const target = { address: host, port, health: 'healthy', locality: '', network: '', weight: 1 } as const;
  const loadAssignment = buildLoadAssignment(name, [{ ...target, tlsMode: 'disabled' }]);
  if (isIpAddress(host)) return { type: 'STATIC', loadAssignment };
  return {
    type: 'STRICT_DNS',
    dnsLookupFamily: ipv6Only ? 'V6_ONLY' : 'V4_ONLY',
    dnsRefreshRate: duration(mesh.dnsRefreshRateMs),
    respectDnsTtl: true,
    loadAssignment,
  };
}
