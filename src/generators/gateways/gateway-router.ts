import type { GatewayServer } from '../../model/gateways/gateway-server.js';
import { createMemo } from '../../model/memo.js';
import { checkServerOf, reportServerOf } from '../../model/policy/policy-servers.js';
import type { Proxy } from '../../model/proxy.js';
import type { PushContext } from '../../model/push-context.js';
import type { TrafficView } from '../../model/traffic/traffic-view.js';
import type { Caller } from '../../model/traffic/virtual-services/caller.js';
import type { GatewayRoutes } from '../../model/traffic/virtual-services/gateway-routes.js';
import type { GeneratorSettings } from '../settings.js';
import { createApiHosts, destinationsOfApi } from './api-hosts.js';
import type { GatewayRouting, RoutedHosts } from './gateway-routing.js';
import { createRouterFacts, type RouterFacts } from './router-facts.js';

/** What Gateways and virtual services say about a router. */
export interface GatewayRouter {
  factsOf(context: PushContext, proxy: Proxy): RouterFacts;
  routingOf(context: PushContext, proxy: Proxy): GatewayRouting;
  /**
   * The hosts whose clusters a router gets (NAV_FILTER_GATEWAY_CLUSTER_CONFIG), sorted: those that its virtual services
   * lead to, and those that its listeners call themselves. Undefined for all.
   */
  clusterHostsOf(context: PushContext, proxy: Proxy): readonly string[] | undefined;
}

export function createGatewayRouter(settings: GeneratorSettings): GatewayRouter {
  const routings = createMemo<GatewayRouting>();
  const timeoutMs = settings.defaultRequestTimeoutMs;
  const factsOf = createRouterFacts(settings);
  const apiHosts = createApiHosts(timeoutMs);
  return {
    factsOf,
    clusterHostsOf: (context, proxy) => {
      if (!settings.filterGatewayClusters || proxy.type !== 'router') return undefined;
      const { ports } = factsOf(context, proxy);
      const gateways = new Set(ports.flatMap(({ servers }) => servers.map(({ gateway }) => gateway)));
      const destinations = context.trafficOf(proxy).gatewayDestinations(gateways);
      const ofApi = ports.flatMap(({ servers }) => servers.flatMap((server) => destinationsOfApi(context, server)));
      return [...new Set([...destinations, ...ofApi, ...ownHosts(context)])].sort();
    },
    routingOf: (context, proxy) => {
      const traffic = context.trafficOf(proxy);
      const [caller, connectionCaller] = [traffic.callerOf(proxy), traffic.connectionCallerOf(proxy)];
      const { routes } = context.gatewayApi;
      const ids = routes.id === '' ? [] : [routes.id];
      const key = JSON.stringify([traffic.id, caller.key, connectionCaller.key, ...ids]);
      return routings.of([routes, traffic], key, () =>
        createRouting(traffic, key, { caller, connectionCaller, timeoutMs }, (server) =>
          apiHosts.of(routes, traffic, server),
        ),
      );
    },
  };
}

interface RoutingInputs {
  readonly caller: Caller;
  readonly connectionCaller: Caller;
  readonly timeoutMs: number;
}

/** @param apiHostsOf hosts of listeners of the Gateway API; undefined for other servers */
function createRouting(
  traffic: TrafficView,
  key: string,
  inputs: RoutingInputs,
  apiHostsOf: (server: GatewayServer) => readonly RoutedHosts[] | undefined,
): GatewayRouting {
  const known = new WeakMap<GatewayServer, GatewayRoutes>();
  const routesOf = (server: GatewayServer): GatewayRoutes => {
    let routes = known.get(server);
    if (routes === undefined) {
      const { gateway, port } = server;
      const hosts = server.hosts.map(({ namespace, host }) => `${namespace}/${host}`);
      routes = traffic.gatewayRoutesOf({ gateway, port, hosts }, inputs);
      known.set(server, routes);
    }
    return routes;
  };
  return {
    key,
    virtualHostsOf: (server) =>
      apiHostsOf(server) ??
      routesOf(server).hosts.map(({ hostname, virtualHost }) => ({ hosts: [hostname], virtualHost })),
    connectionsOf: (server) => {
      const { tls, tcp } = routesOf(server);
      return server.tls?.mode === 'passthrough' ? tls : tcp;
    },
  };
}

/** Hosts that proxies call for tracing and policies. Envoy rejects a listener that names a missing cluster. */
function ownHosts({ mesh, domain }: PushContext): readonly string[] {
  const { tracingAddress } = mesh.defaultConfig;
  const tracing = tracingAddress.slice(0, Math.max(0, tracingAddress.lastIndexOf(':')));
  const servers = [checkServerOf(mesh), reportServerOf(mesh)].flatMap((server) =>
    server?.type === 'address' ? [server.host] : [],
  );
  return [tracing, ...servers]
    .filter((host) => host !== '')
    .flatMap((host) => [host, `${host}.svc.${domain}`, `${host}.${domain}`]);
}
