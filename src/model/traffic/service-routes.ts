import { createMemo } from '../memo.js';
import type { ServiceView } from '../push-context.js';
import type { Port, Service } from '../service.js';
import type { ClusterPolicy, HashKey } from './cluster-policy.js';
import type { ConnectionAction, ConnectionRoute } from './connection-route.js';
import { DEFAULT_RETRIES } from './default-retries.js';
import { EVERY_REQUEST } from './http-match.js';
import type { HttpRoute, VirtualHost } from './http-route.js';
import { clusterOfPort, type ServiceCluster } from './mesh-traffic.js';
import { ANY_CALLER, type Caller, type CallingProxy } from './virtual-services/caller.js';
import type { GatewayInputs, GatewayRoutes, RoutedServer } from './virtual-services/gateway-routes.js';

/**
 * The rules by which a group of namespaces routes. The same object while the rules stay the same.
 */
export interface ServiceRoutes {
  /** Equal ids have equal rules within one snapshot; empty while no object configures routes. */
  readonly id: string;
  /** The same for `connectionsOf` and `connectionCallerOf` alone. */
  readonly connectionsId: string;
  /** The routes to services that are seen. */
  to(services: ServiceView, clustersOf: ClustersOfService): RoutesToServices;
}

export type ClustersOfService = (service: Service) => readonly ServiceCluster[];

/** What routes depend on beside the view. */
export interface RouteInputs {
  readonly caller: Caller;
  /** Of requests without a timeout of their own, 0 for none (MESH_DEFAULT_REQUEST_TIMEOUT). */
  readonly timeoutMs: number;
}

/** Connections to a port of a service that are not served as HTTP. */
export interface ConnectionRoutes {
  /** Of TLS connections, in order. */
  readonly tls: readonly ConnectionRoute[];
  /** Of all connections, in order; those of `tls` come first. */
  readonly tcp: readonly ConnectionRoute[];
  /** Of all other connections. */
  readonly rest: ConnectionAction;
}

/** The routes of requests to a host that is no service of the view. */
export interface HostRoutes {
  /** In lower case; the first label may be `*`. */
  readonly hostname: string;
  readonly virtualHost: VirtualHost;
}

/** The routes of a view. Each result is the same object while its inputs are. */
export interface RoutesToServices {
  /** The proxy, as far as the rules of requests read it. */
  callerOf(proxy: CallingProxy): Caller;
  /** The proxy, as far as the rules of connections read it. */
  connectionCallerOf(proxy: CallingProxy): Caller;
  virtualHostOf(service: Service, port: Port, inputs: RouteInputs): VirtualHost;
  connectionsOf(service: Service, port: Port, caller: Caller): ConnectionRoutes;
  /** Hosts of no service that have routes at the port, in order of precedence. */
  otherHostsAt(port: number, inputs: RouteInputs): readonly HostRoutes[];
  /** The routes of one server of a gateway. */
  gatewayRoutesOf(server: RoutedServer, inputs: GatewayInputs): GatewayRoutes;
  /** Hosts of all destinations of the routes of these gateways. */
  gatewayDestinations(gateways: ReadonlySet<string>): ReadonlySet<string>;
}

const NO_HOSTS: readonly HostRoutes[] = [];
const NO_ROUTES: GatewayRoutes = { hosts: [], tls: [], tcp: [] };

/** The rules without any object: all endpoints of a service share its requests. */
export function createDefaultRoutes(): ServiceRoutes {
  const routes = createRoutesByDefault();
  return {
    id: '',
    connectionsId: '',
    to: (_, clustersOf) => ({
      callerOf: () => ANY_CALLER,
      connectionCallerOf: () => ANY_CALLER,
      virtualHostOf: (service, port, { timeoutMs }) => routes.virtualHostOf(clustersOf(service), port, timeoutMs),
      connectionsOf: (service, port) => routes.connectionsOf(clustersOf(service), port),
      otherHostsAt: () => NO_HOSTS,
      gatewayRoutesOf: () => NO_ROUTES,
      gatewayDestinations: () => new Set(),
    }),
  };
}

/** The routes of services that no object routes, each the same object while the clusters of the service are. */
export interface RoutesByDefault {
  virtualHostOf(clusters: readonly ServiceCluster[], port: Port, timeoutMs: number): VirtualHost;
  connectionsOf(clusters: readonly ServiceCluster[], port: Port): ConnectionRoutes;
}

export function createRoutesByDefault(): RoutesByDefault {
  const hosts = createMemo<VirtualHost>();
  const connections = createMemo<ConnectionRoutes>();
  return {
    virtualHostOf: (clusters, { number }, timeoutMs) =>
      hosts.of([clusters], `${number}|${timeoutMs}`, () =>
        serviceVirtualHost(clusterOfPort(clusters, number), timeoutMs),
      ),
    connectionsOf: (clusters, { number }) =>
      connections.of([clusters], String(number), () => ({
        tls: [],
        tcp: [],
        rest: serviceConnections(clusterOfPort(clusters, number)),
      })),
  };
}

/** The virtual host of a service port without a routing object: one route, to all endpoints. */
function serviceVirtualHost({ destination, policy }: ServiceCluster, timeoutMs: number): VirtualHost {
  const name = `${destination.hostname}:${destination.port}`;
  const hashKey = hashKeyOf(policy);
  const route: HttpRoute = {
    name: 'default',
    match: EVERY_REQUEST,
    action: {
      type: 'forward',
      destinations: [{ ...destination, weight: 1 }],
      timeoutMs,
      retries: DEFAULT_RETRIES,
      ...(hashKey === undefined ? {} : { hashKey }),
    },
    operation: `${name}/*`,
  };
  return { name, routes: [route] };
}

/** What a proxy does with connections to a service port without a routing object: all endpoints share them. */
function serviceConnections({ destination, policy }: ServiceCluster): ConnectionAction {
  const hashesSourceAddress = hashKeyOf(policy)?.type === 'sourceAddress';
  return { type: 'forward', destinations: [{ ...destination, weight: 1 }], hashesSourceAddress };
}

function hashKeyOf({ loadBalancer }: ClusterPolicy): HashKey | undefined {
  return loadBalancer.type === 'consistentHash' ? loadBalancer.key : undefined;
}
