import type { PushContext, ServiceView } from '../push-context.js';
import type { MeshStore } from '../store/mesh-store.js';
import { targetsOfProxy } from './workload-targets.js';

/**
 * The next snapshot of the mesh. Unchanged parts are the same objects: services, endpoints, views, lists and maps.
 *
 * @param previous undefined for the first
 * @param now wall-clock time, for the version
 */
export function nextPushContext(previous: PushContext | undefined, store: MeshStore, now: Date): PushContext {
  const { views, targets, interner, ownCluster, clusters, clusterViews, traffic, routes, composeView, ...state } =
    store.state();
  const clusterOf = (id: string | undefined): string => (id !== undefined && clusters.has(id) ? id : ownCluster);
  const viewIn = (namespace: string, cluster: string | undefined): ServiceView => {
    const view = views.viewOf(namespace);
    return clusters.size < 2 ? view : clusterViews.viewIn(view, clusterOf(cluster));
  };
  const sequence = (previous?.sequence ?? 0) + 1;
  return {
    ...state,
    sequence,
    version: `${now.toISOString()}/${sequence}`,
    viewOf: (namespace) => views.viewOf(namespace),
    viewIn,
    clusterOf,
    trafficOf: ({ configNamespace, metadata }) =>
      composeView({
        services: viewIn(configNamespace, metadata.clusterId),
        inAnyCluster: views.viewOf(configNamespace),
        traffic: traffic.ofNamespace(configNamespace),
        routes,
      }),
    targetsOf: (proxy) => targetsOfProxy(proxy, clusterOf(proxy.metadata.clusterId), targets, interner),
  };
}
