import type { GatewayServer } from '../../model/gateways/gateway-server.js';
import { createMemo } from '../../model/memo.js';
import type { Proxy } from '../../model/proxy.js';
import type { PushContext } from '../../model/push-context.js';
import type { TrafficView } from '../../model/traffic/traffic-view.js';
import type { Caller } from '../../model/traffic/virtual-services/caller.js';
import type { GatewayRoutes } from '../../model/traffic/virtual-services/gateway-routes.js';
import type { GeneratorSettings } from '../settings.js';
import type { GatewayRouting } from './gateway-routing.js';
import { createRouterFacts, type RouterFacts } from './router-facts.js';

/** What Gateways and virtual services say about a router. */
export interface GatewayRouter {
  factsOf(context: PushContext, proxy: Proxy): RouterFacts;
  routingOf(context: PushContext, proxy: Proxy): GatewayRouting;
}

export function createGatewayRouter(settings: GeneratorSettings): GatewayRouter {
  const routings = createMemo<GatewayRouting>();
  const timeoutMs = settings.defaultRequestTimeoutMs;
  return {
    factsOf: createRouterFacts(settings),
    routingOf: (context, proxy) => {
      const traffic = context.trafficOf(proxy);
      const [caller, connectionCaller] = [traffic.callerOf(proxy), traffic.connectionCallerOf(proxy)];
      const key = JSON.stringify([traffic.id, caller.key, connectionCaller.key]);
      return routings.of([traffic], key, () => createRouting(traffic, key, { caller, connectionCaller, timeoutMs }));
    },
  };
}

interface RoutingInputs {
  readonly caller: Caller;
  readonly connectionCaller: Caller;
  readonly timeoutMs: number;
}

function createRouting(traffic: TrafficView, key: string, inputs: RoutingInputs): GatewayRouting {
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
      routesOf(server).hosts.map(({ hostname, virtualHost }) => ({ hosts: [hostname], virtualHost })),
    connectionsOf: (server) => {
      const { tls, tcp } = routesOf(server);
      return server.tls?.mode === 'passthrough' ? tls : tcp;
    },
  };
}
