import { struct } from '../../envoy/struct.js';
import type { Cluster } from '../../generated/envoy/config/cluster/v3/Cluster.js';
import type { Metadata } from '../../generated/envoy/config/core/v3/Metadata.js';
import type { Port, Service } from '../../model/service.js';
import type { Subset } from '../../model/traffic/destination.js';
import type { AddressFamilies } from '../address-families.js';
import { MESH_METADATA } from '../endpoints/load-assignment.js';
import { buildConnectionPool } from './connection-pool.js';

/** The fields that every cluster without a policy of its own has. @param connectTimeoutMs from the mesh config */
export function buildClusterBase(name: string, connectTimeoutMs: number): Cluster {
  return { name, ...buildConnectionPool({ connectTimeoutMs }) };
}

/** Names the service of a cluster, for filters and for readers of a config dump. */
export function buildServiceMetadata({
  hostname,
  name,
  namespace,
}: Pick<Service, 'hostname' | 'name' | 'namespace'>): Metadata {
  return { filterMetadata: { [MESH_METADATA]: struct({ services: [{ host: hostname, name, namespace }] }) } };
}

/**
 * Source addresses of connections from a sidecar to its own workload (docs/reference/xds.md#names). The capture rules
 * exempt them; a connection from any other address would be captured again, in an endless loop.
 */
const INBOUND_SOURCE_IPV4 = '127.0.0.6';
const INBOUND_SOURCE_IPV6 = '::6';

/** Binds a cluster's connections to the inbound source of the destination's family. */
export function bindToInboundSource({ ipv4, ipv6 }: AddressFamilies): Pick<Cluster, 'upstreamBindConfig'> {
  const sourceAddress = { address: ipv4 ? INBOUND_SOURCE_IPV4 : INBOUND_SOURCE_IPV6, portValue: 0 };
  if (!ipv4 || !ipv6) return { upstreamBindConfig: { sourceAddress } };
  const other = { address: { address: INBOUND_SOURCE_IPV6, portValue: 0 } };
  return { upstreamBindConfig: { sourceAddress, extraSourceAddresses: [other] } };
}

/** The values of the placeholders in a statistics name. */
export interface StatNameSubject {
  readonly service: Pick<Service, 'hostname' | 'name' | 'namespace' | 'registry'>;
  readonly port: Pick<Port, 'number' | 'name'>;
  readonly subset: Subset;
}

/**
 * The cluster name in statistics, from mesh config `inboundClusterStatName` or `outboundClusterStatName`.
 * Placeholders: `%SERVICE%` (`<name>.<namespace>` in an orchestrator, the host otherwise), `%SERVICE_FQDN%`,
 * `%SERVICE_PORT%`, `%SERVICE_PORT_NAME%`, `%SUBSET_NAME%`.
 */
export function clusterStatName(pattern: string, { service, port, subset }: StatNameSubject): string {
  const { hostname, name, namespace, registry } = service;
  const values: Readonly<Record<string, string>> = {
    '%SERVICE%': registry === 'Orchestrator' ? `${name}.${namespace}` : hostname,
    '%SERVICE_FQDN%': hostname,
    '%SERVICE_PORT%': String(port.number),
    '%SERVICE_PORT_NAME%': port.name,
    '%SUBSET_NAME%': subset.name,
  };
  return pattern.replace(/%[A-Z_]+%/g, (placeholder) => values[placeholder] ?? placeholder);
}
