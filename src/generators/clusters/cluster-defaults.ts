import { struct } from '../../envoy/struct.js';
import type { Cluster } from '../../generated/envoy/config/cluster/v3/Cluster.js';
import type { Metadata } from '../../generated/envoy/config/core/v3/Metadata.js';
import type { Service } from '../../model/service.js';
import { MESH_METADATA } from '../endpoint-metadata.js';
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
