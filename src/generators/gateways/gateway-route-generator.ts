import type { MeshConfig } from '../../config/mesh/mesh-config.js';
import type { EncodedResource } from '../../envoy/encoded-resource.js';
import { frameField, frameResource, type MessageEncoder } from '../../envoy/message-encoder.js';
import { TypeUrl } from '../../envoy/type-urls.js';
import type { VirtualHost as EnvoyVirtualHost } from '../../generated/envoy/config/route/v3/VirtualHost.js';
import type { MergedServer, RouterPorts } from '../../model/gateways/merge-servers.js';
import { createMemo, memoize } from '../../model/memo.js';
import type { VirtualHost } from '../../model/traffic/http-route.js';
import { routesAffectedBy } from '../affected-by.js';
import { OUTBOUND_CLUSTERS, type RouteClusters } from '../destination-names.js';
import type { NamedGenerator, Scope } from '../generator.js';
import type { RoutePlugin } from '../plugins/networking-plugin.js';
import { type DestinationPlan, NO_PLAN, planDestinations } from '../plugins/route-destinations.js';
import { joinRoutePlans } from '../plugins/route-plan.js';
import { buildHttpRoute } from '../routes/http/http-route.js';
import { createViewIndexer } from '../view-index.js';
import { type GatewayHost, gatewayHosts, TO_DEFAULT_ENDPOINT } from './gateway-hosts.js';
import { defaultEndpointCluster, encryptedRouteName, plaintextRouteName } from './gateway-names.js';
import type { GatewayRouter } from './gateway-router.js';
import type { GatewayRouting } from './gateway-routing.js';
import type { RouterFacts } from './router-facts.js';

export interface GatewayRouteScope extends Scope {
  readonly router: RouterFacts;
  readonly routing: GatewayRouting;
  /** The additions of plugins to its routes. */
  readonly plan: DestinationPlan;
}

const VIRTUAL_HOST = 'type.googleapis.com/envoy.config.route.v3.VirtualHost';
const ROUTE = 'type.googleapis.com/envoy.config.route.v3.Route';
const VIRTUAL_HOSTS_FIELD = 2;
const ROUTES_FIELD = 3;

/** The servers of a table, and the port that clients connect to. */
interface Table {
  readonly servers: readonly MergedServer[];
  readonly port: number;
}

/** Route tables of routers (docs/reference/xds.md#gateways). */
export function createGatewayRouteGenerator(
  encoder: MessageEncoder,
  gatewayRouter: GatewayRouter,
  plugins: readonly RoutePlugin[] = [],
): NamedGenerator<GatewayRouteScope> {
  const indexOf = createViewIndexer();
  const encodedRoutes = createMemo<Buffer>();
  const tablesOf = memoize(indexTables);
  const tableHosts = createMemo<readonly GatewayHost[]>();
  const resources = createMemo<EncodedResource>();

  const encodeRoutes = (host: VirtualHost, clusters: RouteClusters, plan: DestinationPlan): Buffer =>
    Buffer.concat(
      host.routes.map((route) => {
        const fields = plan.addTo(buildHttpRoute(encoder, route, clusters), route);
        return frameField(ROUTES_FIELD, encoder.encode(ROUTE, fields));
      }),
    );

  const encodeHost = (
    { name, hosts, routes, redirectsToHttps, server }: GatewayHost,
    mesh: MeshConfig,
    plan: DestinationPlan,
  ): Buffer => {
    const head: EnvoyVirtualHost = {
      ...{ name, domains: [...hosts] },
      ...(redirectsToHttps ? { requireTls: 'ALL' } : {}),
    };
    const fields = [encoder.encode(VIRTUAL_HOST, head)];
    for (const each of routes) {
      const encoded = encodedRoutes.of([mesh, each], plan.keyOf(each), () => {
        return encodeRoutes(each, OUTBOUND_CLUSTERS, plan);
      });
      fields.push(encoded);
    }
    if (server?.defaultEndpoint !== undefined) {
      const cluster = defaultEndpointCluster(server.defaultEndpoint);
      fields.push(encodeRoutes(TO_DEFAULT_ENDPOINT, { of: () => cluster, passThrough: cluster }, plan));
    }
    return frameField(VIRTUAL_HOSTS_FIELD, Buffer.concat(fields));
  };

  const encodeTable = (
    name: string,
    port: number,
    hosts: readonly GatewayHost[],
    encode: (host: GatewayHost) => Buffer,
  ): EncodedResource => {
    const head = { name, validateClusters: { value: false }, ignorePortInHostMatching: true };
    const fields = [encoder.encode(TypeUrl.route, head), ...hosts.map(encode)];
    // Envoy answers 404 in a virtual host without routes.
    if (hosts.length === 0) {
      const blackHole: EnvoyVirtualHost = { name: `blackhole:${port}`, domains: ['*'] };
      fields.push(frameField(VIRTUAL_HOSTS_FIELD, encoder.encode(VIRTUAL_HOST, blackHole)));
    }
    return frameResource(TypeUrl.route, name, Buffer.concat(fields));
  };

  return {
    mode: 'named',
    typeUrl: TypeUrl.route,
    affectedBy: (request, proxyType, context) =>
      routesAffectedBy(request, proxyType) || plugins.some((plugin) => plugin.routesAffectedBy(request, context)),
    scope: (context, proxy) => {
      const router = gatewayRouter.factsOf(context, proxy);
      const routing = gatewayRouter.routingOf(context, proxy);
      const added = joinRoutePlans(plugins.flatMap((plugin) => plugin.planRoutes(context, proxy) ?? []));
      if (added === undefined) {
        return { key: JSON.stringify([router.key, routing.key]), router, routing, plan: NO_PLAN };
      }
      const traffic = context.trafficOf(proxy);
      const plan = planDestinations(added, (hostname) => indexOf(traffic.services).byHost.get(hostname));
      return { key: JSON.stringify([router.key, routing.key, traffic.id, added.key]), router, routing, plan };
    },
    generate: ({ mesh }, { router, routing, plan }, name) => {
      const table = tablesOf(router).get(name);
      if (table === undefined) return undefined;
      const { servers, port } = table;
      const hosts = tableHosts.of([router, routing], name, () => gatewayHosts(servers, routing, port));
      const keys = hosts.map(({ routes }) => routes.map(plan.keyOf));
      return resources.of([mesh, router, routing], `${name} ${JSON.stringify(keys)}`, () =>
        encodeTable(name, port, hosts, (host) => encodeHost(host, mesh, plan)),
      );
    },
  };
}

/** The tables that listeners of the router refer to, by name. */
function indexTables({ ports }: RouterPorts): ReadonlyMap<string, Table> {
  const tables = new Map<string, Table>();
  for (const port of ports) {
    const number = port.servers[0]?.port ?? port.port;
    if (port.kind === 'http') {
      const name = plaintextRouteName(port);
      const known = tables.get(name);
      tables.set(name, { servers: [...new Set([...(known?.servers ?? []), ...port.servers])], port: number });
    } else {
      for (const server of port.servers) {
        if (server.traffic === 'http') tables.set(encryptedRouteName(server), { servers: [server], port: server.port });
      }
    }
  }
  return tables;
}
