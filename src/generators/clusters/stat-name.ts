import type { Port, Service } from '../../model/service.js';
import type { Subset } from '../../model/traffic/destination.js';

/** What a statistics name may speak of. */
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
