import { BLACK_HOLE_CLUSTER } from '../../envoy/names.js';
import type { TcpProxyOptions } from '../../envoy/network-proxies.js';
import type { ConnectionAction } from '../../model/traffic/connection-route.js';
import { WHOLE_SERVICE } from '../../model/traffic/destination.js';
import type { RouteClusters } from '../destination-names.js';

type NamedWeights = readonly [{ readonly name: string; readonly weight: number }, ...TcpProxyOptions['clusters']];

/** The clusters that an action leads to, at least one. */
export function clustersOf(action: ConnectionAction, clusters: RouteClusters): NamedWeights {
  switch (action.type) {
    case 'forward': {
      const [first, ...others] = action.destinations.map((each) => ({ name: clusters.of(each), weight: each.weight }));
      return [first ?? { name: BLACK_HOLE_CLUSTER, weight: 1 }, ...others];
    }
    case 'passThrough':
      return [{ name: clusters.passThrough, weight: 1 }];
    case 'close':
      return [{ name: BLACK_HOLE_CLUSTER, weight: 1 }];
  }
}

/**
 * The cluster by which plugins find the service of a chain: that of the whole service. Undefined where destinations have
 * different hosts, and for an address of no service.
 */
export function serviceClusterOf(action: ConnectionAction, clusters: RouteClusters): string | undefined {
  if (action.type !== 'forward') return undefined;
  const [first, ...others] = action.destinations;
  const isOneHost = others.every(({ hostname }) => hostname === first?.hostname);
  if (first === undefined || first.hostname === '' || !isOneHost) return undefined;
  return clusters.of({ ...first, subset: WHOLE_SERVICE });
}
