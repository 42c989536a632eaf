import type { Endpoint, ServiceEndpoints, ShardKey } from '../../model/endpoint.js';

/** Selects endpoints of a service. */
export interface EndpointFilter {
  readonly portName: string;
  /** Only endpoints of workloads with these labels (a subset); empty for all. */
  readonly labels: Readonly<Record<string, string>>;
  /** Undefined for all networks. Endpoints without network are on every one. */
  readonly networkView: ReadonlySet<string> | undefined;
  /** Only endpoints of this cluster; undefined for all. */
  readonly cluster: string | undefined;
}

/** The endpoints of one service port or subset, of all shards, that a proxy may be sent to. */
export function visibleEndpoints(endpoints: ServiceEndpoints, filter: EndpointFilter): readonly Endpoint[] {
  const { portName, networkView, cluster } = filter;
  const labels = Object.entries(filter.labels);
  const visible: Endpoint[] = [];
  for (const [key, shard] of endpoints.shards) {
    if (cluster !== undefined && clusterOfShard(key) !== cluster) continue;
    for (const endpoint of shard) {
      if (endpoint.portName !== portName) continue;
      if (networkView !== undefined && endpoint.network !== '' && !networkView.has(endpoint.network)) continue;
      if (labels.length > 0 && !labels.every(([name, value]) => endpoint.labels[name] === value)) continue;
      visible.push(endpoint);
    }
  }
  return visible;
}

/** A shard key is `<registry>/<cluster>`. */
export function clusterOfShard(key: ShardKey): string {
  return key.slice(key.indexOf('/') + 1);
}
