import { createMemo } from '../memo.js';
import type { Proxy } from '../proxy.js';
import type { ServiceView } from '../push-context.js';
import type { Port, Service } from '../service.js';
import type { ConnectionAction } from './connection-route.js';
import type { VirtualHost } from './http-route.js';
import type { NamespaceTraffic, ServiceCluster } from './mesh-traffic.js';
import type { ServiceRoutes } from './service-routes.js';

/**
 * All that a proxy sees of the mesh: services, their clusters and their routes. Proxies that see the same things share
 * one object, so that they share the resources made from it.
 */
export interface TrafficView {
  /** Equal ids have equal content within one snapshot; the id is stable while the content is. */
  readonly id: string;
  /** The services, with their addresses in the cluster of the proxy, in the order of precedence there. */
  readonly services: ServiceView;
  /**
   * The same view regardless of the proxy's cluster, for resources that read no addresses of services, so that proxies of
   * all clusters share them. The view itself where the cluster makes no difference.
   */
  readonly inAnyCluster: TrafficView;
  /**
   * The clusters of a service, each with a destination of its own, in the order of its ports. The same array for as long
   * as the service and its policies stay the same: whatever depends on them can be cached by it.
   */
  clustersOf(service: Service): readonly ServiceCluster[];
  /** Equal ids have equal `clustersOf` for equal services; empty while no object configures clusters. */
  readonly clustersId: string;
  /** Whether a policy makes the endpoints of a proxy depend on its locality. */
  readonly balancesByLocality: boolean;
  /**
   * The routes of the requests to a port of a service. The same object for as long as all its inputs stay the same.
   *
   * @param timeoutMs of requests without a timeout of their own, 0 for none (MESH_DEFAULT_REQUEST_TIMEOUT)
   */
  virtualHostOf(service: Service, port: Port, timeoutMs: number): VirtualHost;
  /** What a proxy does with connections to a port of a service that it does not serve as HTTP; remembered likewise. */
  connectionsOf(service: Service, port: Port): ConnectionAction;
}

/** The facts about a proxy that decide what it sees. */
export type TrafficViewer = Pick<Proxy, 'type' | 'configNamespace' | 'name' | 'metadata'>;

/** The parts that a view consists of; each keeps its identity while its content is the same. */
export interface TrafficViewParts {
  readonly services: ServiceView;
  readonly inAnyCluster: ServiceView;
  readonly traffic: NamespaceTraffic;
  readonly routes: ServiceRoutes;
}

/** Composes views; equal parts make the same view, in this snapshot and in all later ones. */
export type TrafficViewComposer = (parts: TrafficViewParts) => TrafficView;

export function createTrafficViewComposer(): TrafficViewComposer {
  const views = createMemo<TrafficView>();
  const viewOf = (services: ServiceView, inAnyCluster: ServiceView, parts: TrafficViewParts): TrafficView => {
    const { traffic, routes } = parts;
    return views.of([traffic, routes, inAnyCluster, services], '', () => {
      const regardless = services === inAnyCluster ? undefined : viewOf(inAnyCluster, inAnyCluster, parts);
      return createView(services, regardless, traffic, routes);
    });
  };
  return (parts) => viewOf(parts.services, parts.inAnyCluster, parts);
}

function createView(
  services: ServiceView,
  inAnyCluster: TrafficView | undefined,
  traffic: NamespaceTraffic,
  routes: ServiceRoutes,
): TrafficView {
  const { clustersOf, balancesByLocality } = traffic;
  const ids = [services.id, traffic.id, routes.id];
  const view = {
    id: ids.slice(1).every((id) => id === '') ? services.id : ids.join('~'),
    services,
    clustersOf,
    clustersId: traffic.id,
    balancesByLocality,
    virtualHostOf: (service: Service, port: Port, timeoutMs: number) =>
      routes.virtualHostOf(clustersOf(service), port, timeoutMs),
    connectionsOf: (service: Service, port: Port) => routes.connectionsOf(clustersOf(service), port),
  };
  const whole: TrafficView = {
    ...view,
    get inAnyCluster() {
      return inAnyCluster ?? whole;
    },
  };
  return whole;
}
