import type { MeshConfig } from '../../config/mesh/mesh-config.js';
import { createMemo } from '../memo.js';
import type { Proxy } from '../proxy.js';
import type { ServiceView } from '../push-context.js';
import type { Service } from '../service.js';
import type { HostImports } from '../sidecars/host-imports.js';
import { createScopedServices } from '../sidecars/scoped-services.js';
import type { EgressPlace, SidecarScope } from '../sidecars/sidecar-scope.js';
import type { NamespaceTraffic, ServiceCluster } from './mesh-traffic.js';
import type { RoutesToServices, ServiceRoutes } from './service-routes.js';
import { type UnknownTraffic, unknownTraffic } from './unknown-destinations.js';

/**
 * All that a proxy sees of the mesh: services, their clusters and their routes. Proxies that see the same things share
 * one object, so that they share the resources made from it.
 */
export interface TrafficView extends RoutesToServices {
  /** Equal ids have equal content within one snapshot; the id is stable while the content is. */
  readonly id: string;
  /**
   * The same for the content without the routes of requests, which change more often than those of connections. Listeners
   * depend on it: they name the route tables of requests.
   */
  readonly connectionsId: string;
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
   * Where a sidecar listens for its application, in order of precedence: the services of a listener with a port have
   * that port to themselves. One without port is the last, and the only one without a Sidecar that says otherwise.
   */
  readonly egress: readonly EgressListener[];
  readonly unknown: UnknownTraffic;
}

/** A group of services that a sidecar serves at one port, or at their own ports. */
export interface EgressListener extends EgressPlace {
  /** The part of the view that the listener serves; its own `egress` says nothing. */
  readonly traffic: TrafficView;
}

/**
 * The listener that takes connections to a port, or to a unix socket.
 *
 * @param port 0 for a socket
 * @param bind of a socket
 */
export function egressAt({ egress }: TrafficView, port: number, bind: string): EgressListener | undefined {
  if (port === 0) return egress.find((listener) => listener.port?.number === 0 && listener.bind === bind);
  return egress.find((each) => each.port?.number === port) ?? egress.find((each) => each.port === undefined);
}

/** The facts about a proxy that decide what it sees. */
export type TrafficViewer = Pick<Proxy, 'type' | 'configNamespace' | 'name' | 'metadata'>;

/** The parts that a view consists of; each keeps its identity while its content is the same. */
export interface TrafficViewParts {
  readonly mesh: Pick<MeshConfig, 'outboundTrafficPolicy'>;
  readonly services: ServiceView;
  readonly inAnyCluster: ServiceView;
  readonly traffic: NamespaceTraffic;
  /** The routes that a namespace sees. @param imports restricts them; undefined for all */
  routesFor(imports: HostImports | undefined): ServiceRoutes;
  /** Of the Sidecar that selects the proxy; undefined for none. */
  readonly scope: SidecarScope | undefined;
}

/** Composes views; equal parts make the same view, in this snapshot and in all later ones. */
export type TrafficViewComposer = (parts: TrafficViewParts) => TrafficView;

export function createTrafficViewComposer(): TrafficViewComposer {
  const views = createMemo<TrafficView>();
  const scopedServices = createScopedServices();
  const viewOf = (services: ServiceView, inAnyCluster: ServiceView, parts: TrafficViewParts): TrafficView => {
    const { mesh, traffic, scope } = parts;
    const routes = parts.routesFor(scope?.imports);
    const policy = scope?.outboundTrafficPolicy;
    const key = `${mesh.outboundTrafficPolicy}|${policy && JSON.stringify(policy)}|${scope?.listenersKey ?? ''}`;
    return views.of([traffic, routes, inAnyCluster, services], key, () => {
      const regardless = services === inAnyCluster ? undefined : viewOf(inAnyCluster, inAnyCluster, parts);
      const unknown = unknownTraffic(mesh.outboundTrafficPolicy, policy, (proxy) => {
        const service = services.services.find(({ hostname }) => hostname === proxy.host);
        const clusters = service === undefined ? [] : traffic.clustersOf(service);
        const isMeant = ({ destination: { port, subset } }: ServiceCluster) =>
          port === proxy.port.number && subset.name === proxy.subset;
        return clusters.find(isMeant)?.destination;
      });
      // Made now: later, `parts` would be those of a snapshot that is gone.
      const listeners = scope?.listeners.map(({ port, bind, captureMode, imports }): EgressListener => {
        const served = scopedServices.restrict(services, imports);
        const part = createView(served, undefined, traffic, parts.routesFor(imports), unknown, '', []);
        return { port, bind, captureMode, traffic: part };
      });
      const own = listeners !== undefined && listeners.length > 0 ? listeners : undefined;
      return createView(services, regardless, traffic, routes, unknown, scope?.listenersKey ?? '', own);
    });
  };
  return (parts) => {
    const { services, inAnyCluster, scope } = parts;
    if (scope === undefined) return viewOf(services, inAnyCluster, parts);
    const restricted = scopedServices.restrict(services, scope.imports);
    const regardless = services === inAnyCluster ? restricted : scopedServices.restrict(inAnyCluster, scope.imports);
    return viewOf(restricted, regardless, parts);
  };
}

function createView(
  services: ServiceView,
  inAnyCluster: TrafficView | undefined,
  traffic: NamespaceTraffic,
  routes: ServiceRoutes,
  unknown: UnknownTraffic,
  listenersKey: string,
  listeners: readonly EgressListener[] | undefined,
): TrafficView {
  const { clustersOf, balancesByLocality } = traffic;
  const idWith = (routesId: string): string => {
    const ids = [traffic.id, routesId, unknown.id, listenersKey];
    return ids.every((id) => id === '') ? services.id : [services.id, ...ids].join('~');
  };
  let egress = listeners;
  const view: TrafficView = {
    ...routes.to(services, clustersOf),
    id: idWith(routes.id),
    connectionsId: idWith(routes.connectionsId),
    services,
    get inAnyCluster() {
      return inAnyCluster ?? view;
    },
    clustersOf,
    clustersId: traffic.id,
    balancesByLocality,
    get egress() {
      egress ??= [{ port: undefined, bind: '', captureMode: 'DEFAULT', traffic: view }];
      return egress;
    },
    unknown,
  };
  return view;
}
