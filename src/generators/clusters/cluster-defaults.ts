import { duration } from '../../envoy/durations.js';
import { struct } from '../../envoy/struct.js';
import type { CircuitBreakers } from '../../generated/envoy/config/cluster/v3/CircuitBreakers.js';
import type { Cluster } from '../../generated/envoy/config/cluster/v3/Cluster.js';
import type { Metadata } from '../../generated/envoy/config/core/v3/Metadata.js';
import type { Service } from '../../model/service.js';
import { MESH_METADATA } from '../endpoint-metadata.js';

const UNLIMITED = { value: 0xffff_ffff };

/** Limits that nobody set are the largest there are (BEHAVIOUR 5, "Clusters"), not Envoy's own 1024. */
const CIRCUIT_BREAKERS: CircuitBreakers = {
  thresholds: [
    { maxConnections: UNLIMITED, maxPendingRequests: UNLIMITED, maxRequests: UNLIMITED, maxRetries: UNLIMITED },
  ],
};

/** What every cluster that carries traffic has. @param connectTimeoutMs from the mesh config */
export function buildClusterBase(name: string, connectTimeoutMs: number): Cluster {
  return { name, connectTimeout: duration(connectTimeoutMs), circuitBreakers: CIRCUIT_BREAKERS };
}

/** Tells which service a cluster belongs to, for filters and for people who read a config dump. */
export function buildServiceMetadata({
  hostname,
  name,
  namespace,
}: Pick<Service, 'hostname' | 'name' | 'namespace'>): Metadata {
  return { filterMetadata: { [MESH_METADATA]: struct({ services: [{ host: hostname, name, namespace }] }) } };
}
