import type { GatewayApiRoutes } from '../../model/gateway-api/gateway-api.js';
import type { DraftVirtualHost, RouteDraft } from '../../model/gateway-api/route-draft.js';
import type { GatewayServer } from '../../model/gateways/gateway-server.js';
import { createMemo } from '../../model/memo.js';
import type { PushContext } from '../../model/push-context.js';
import type { HashKey } from '../../model/traffic/cluster-policy.js';
import type { Destination } from '../../model/traffic/destination.js';
import type { HttpRoute, VirtualHost } from '../../model/traffic/http-route.js';
import type { TrafficView } from '../../model/traffic/traffic-view.js';
import { createViewIndexer } from '../view-index.js';
import type { RoutedHosts } from './gateway-routing.js';

/** The hosts of listeners of the Gateway API, as the routers of a view serve them. */
export interface ApiHosts {
  /** Undefined for servers of other Gateways. */
  of(api: GatewayApiRoutes, traffic: TrafficView, server: GatewayServer): readonly RoutedHosts[] | undefined;
}

/** @param timeoutMs of routes without a timeout of their own, 0 for none */
export function createApiHosts(timeoutMs: number): ApiHosts {
  const indexOf = createViewIndexer();
  const finished = createMemo<VirtualHost>();

  const hashKeyOf = (traffic: TrafficView, { hostname, port }: Destination): HashKey | undefined => {
    const service = indexOf(traffic.services).byHost.get(hostname);
    if (service === undefined) return undefined;
    const cluster = traffic.clustersOf(service).find(({ destination }) => destination.port === port);
    return cluster?.policy.loadBalancer.type === 'consistentHash' ? cluster.policy.loadBalancer.key : undefined;
  };

  const finish = ({ route, hasTimeout }: RouteDraft, traffic: TrafficView): HttpRoute => {
    const { action } = route;
    if (action.type !== 'forward') return route;
    let hashKey: HashKey | undefined;
    for (const destination of action.destinations) hashKey ??= hashKeyOf(traffic, destination);
    if (hashKey === undefined && (hasTimeout || timeoutMs === 0)) return route;
    return {
      ...route,
      action: {
        ...action,
        ...(hasTimeout ? {} : { timeoutMs }),
        ...(hashKey === undefined ? {} : { hashKey }),
      },
    };
  };

  const finishHost = (host: DraftVirtualHost, traffic: TrafficView): VirtualHost =>
    finished.of([host, traffic], '', () => ({
      name: host.name,
      routes: host.routes.map((draft) => finish(draft, traffic)),
    }));

  return {
    of: (api, traffic, server) =>
      api
        .hostsOf(server)
        ?.map(({ hostname, virtualHost }) => ({ hosts: [hostname], virtualHost: finishHost(virtualHost, traffic) })),
  };
}

/** The hosts that the routes of a listener of the Gateway API lead to. */
export function destinationsOfApi({ gatewayApi }: PushContext, server: GatewayServer): readonly string[] {
  const routes = gatewayApi.routes.hostsOf(server)?.flatMap(({ virtualHost }) => virtualHost.routes) ?? [];
  return routes.flatMap(({ route: { action } }) =>
    action.type === 'forward'
      ? [...action.destinations, ...(action.mirrors ?? []).map(({ destination }) => destination)].map(
          ({ hostname }) => hostname,
        )
      : [],
  );
}
