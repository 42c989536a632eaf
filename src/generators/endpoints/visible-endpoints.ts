import type { Endpoint, ServiceEndpoints } from '../../model/endpoint.js';
import { clusterOfShard } from './shard-cluster.js';

/** Which of a service's endpoints are wanted. */
export interface EndpointFilter {
  readonly portName: string;
  /** Undefined for all networks. Endpoints without network are on every one. */
  readonly networkView: ReadonlySet<string> | undefined;
  /** Only endpoints of this cluster; undefined for all. */
  readonly cluster: string | undefined;
}

/** The endpoints of one service port that a proxy may be sent to, of all shards. */
export function visibleEndpoints(endpoints: ServiceEndpoints, filter: EndpointFilter): readonly Endpoint[] {
  const { portName, networkView, cluster } = filter;
  const visible: Endpoint[] = [];
  for (const [key, shard] of endpoints.shards) {
    if (cluster !== undefined && clusterOfShard(key) !== cluster) continue;
    for (const endpoint of shard) {
      if (endpoint.portName !== portName) continue;
      if (networkView !== undefined && endpoint.network !== '' && !networkView.has(endpoint.network)) continue;
      visible.push(endpoint);
    }
  }
  return visible;
}
