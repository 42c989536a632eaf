import { memoize, rememberLast } from '../memo.js';
import type { Proxy } from '../proxy.js';
import type { PushContext, ServiceView } from '../push-context.js';
import { labelsOf } from '../security/mutual-tls.js';
import type { SidecarRules } from '../sidecars/sidecars.js';
import type { MeshStore } from '../store/mesh-store.js';
import type { TrafficView, TrafficViewer } from '../traffic/traffic-view.js';
import { viewsByPlace } from './views-by-place.js';
import { targetsOfProxy } from './workload-targets.js';

/**
 * The next snapshot of the mesh. Unchanged parts are the same objects: services, endpoints, views, lists and maps.
 *
 * @param previous undefined for the first
 * @param now wall-clock time, for the version
 */
export function nextPushContext(previous: PushContext | undefined, store: MeshStore, now: Date): PushContext {
  const { views, targets, interner, ownCluster, clusters, clusterViews, ...rest } = store.state();
  const { traffic, routes, composeView, sidecars, sidecarScopeOf, ingressOf, ...state } = rest;
  const clusterOf = (id: string | undefined): string => (id !== undefined && clusters.has(id) ? id : ownCluster);
  const viewIn = (namespace: string, cluster: string | undefined): ServiceView => {
    const view = views.viewOf(namespace);
    return clusters.size < 2 ? view : clusterViews.viewIn(view, clusterOf(cluster));
  };
  const selected = memoize((proxy: TrafficViewer): SidecarRules | undefined =>
    proxy.type === 'sidecar' ? sidecars.ofWorkload(proxy.configNamespace, labelsOf(state, proxy)) : undefined,
  );
  const sidecarOf = (proxy: TrafficViewer) => (sidecars.isEmpty ? undefined : selected(proxy));
  const targetsOf = rememberLast((proxy: Proxy) =>
    targetsOfProxy(proxy, clusterOf(proxy.metadata.clusterId), targets, interner),
  );
  const compose = (proxy: TrafficViewer): TrafficView => {
    const { configNamespace: namespace, metadata } = proxy;
    const rules = sidecarOf(proxy);
    return composeView({
      mesh: state.mesh,
      services: viewIn(namespace, metadata.clusterId),
      inAnyCluster: views.viewOf(namespace),
      traffic: traffic.ofNamespace(namespace),
      routesFor: (imports) => routes.ofNamespace(namespace, imports),
      scope: rules && sidecarScopeOf(rules, namespace),
    });
  };
  const sequence = (previous?.sequence ?? 0) + 1;
  return {
    ...state,
    sequence,
    version: `${now.toISOString()}/${sequence}`,
    viewOf: (namespace) => views.viewOf(namespace),
    viewIn,
    clusterOf,
    trafficOf: sidecars.isEmpty ? viewsByPlace(compose) : memoize(compose),
    targetsOf,
    inboundOf: (proxy) => ingressOf(sidecarOf(proxy), targetsOf(proxy)),
  };
}
