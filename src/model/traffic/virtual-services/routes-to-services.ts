import { MESH_GATEWAY } from '../../../config/networking/host-names.js';
import { type HostGuard, hostGuardReason } from '../../entries/guarded-hosts.js';
import { createMemo } from '../../memo.js';
import type { ServiceView } from '../../push-context.js';
import type { Service } from '../../service.js';
import type { VirtualHost } from '../http-route.js';
import type { ServiceCluster } from '../mesh-traffic.js';
import {
  type ClustersOfService,
  type ConnectionRoutes,
  createRoutesByDefault,
  type HostRoutes,
  type RouteInputs,
  type RoutesToServices,
} from '../service-routes.js';
import { callerKey, callerOf, type RoutePlace } from './caller.js';
import { translateTcpRoutes, translateTlsRoutes } from './connection-routes.js';
import { createVirtualServiceBinder } from './destinations.js';
import { createGatewayRouter } from './gateway-routes.js';
import { candidatesFor } from './host-table.js';
import { translateHttpRoutes } from './http-routes.js';
import type { NamespaceRules } from './namespace-rules.js';
import type { VirtualService } from './virtual-service.js';

/** Makes the routes of views; results are shared by all views with the same inputs. */
export type RouteComposer = (
  rules: NamespaceRules,
  services: ServiceView,
  clustersOf: ClustersOfService,
) => RoutesToServices;

const HTTP_PORT = 80;

/** @param domain of the cluster */
export function createRouteComposer(domain: string): RouteComposer {
  const defaults = createRoutesByDefault();
  const bind = createVirtualServiceBinder();
  const routeGateway = createGatewayRouter();
  /** Null where the object has no routes for the place. */
  const virtualHosts = createMemo<VirtualHost | null>();
  const connections = createMemo<ConnectionRoutes>();

  return (rules, services, clustersOf) => {
    const byHost = lazily(() => new Map(services.services.map((service) => [service.hostname.toLowerCase(), service])));
    const lookup = (hostname: string): readonly ServiceCluster[] | undefined => {
      const service = byHost().get(hostname);
      return service && clustersOf(service);
    };
    const bound = perObject((virtualService: VirtualService) => bind(virtualService, lookup));
    const guard: HostGuard = {
      domain,
      isNamespace: (name) => namespaces().has(name),
      isService: (name, namespace) => byHost().has(`${name}.${namespace}.svc.${domain}`),
    };
    const namespaces = lazily(() => new Set(services.services.map(({ namespace }) => namespace)));

    const choose = (service: Service, protocol: 'http' | 'tls' | 'tcp'): VirtualService | undefined => {
      for (const virtualService of candidatesFor(rules.tables, service.hostname.toLowerCase())) {
        if (virtualService[protocol].length === 0 || !virtualService.gateways.has(MESH_GATEWAY)) continue;
        if (rules.mayRoute(virtualService, service.namespace)) return virtualService;
      }
      return undefined;
    };
    const httpOf = perObject((service: Service) => choose(service, 'http'));
    const tlsOf = perObject((service: Service) => choose(service, 'tls'));
    const tcpOf = perObject((service: Service) => choose(service, 'tcp'));

    const translate = (
      virtualService: VirtualService,
      hostname: string,
      port: number,
      { caller, timeoutMs }: RouteInputs,
    ): VirtualHost | null => {
      const target = bound(virtualService);
      const name = `${hostname}:${port}`;
      return virtualHosts.of([target], `${name}|${timeoutMs}|${callerKey(caller, virtualService.facts)}`, () => {
        const routes = translateHttpRoutes(target, { gateway: MESH_GATEWAY, port, caller }, timeoutMs);
        return routes.length === 0 ? null : { name, routes };
      });
    };

    const otherHosts = lazily(() => hostsOfNoService(rules, (host) => byHost().has(host), guard));

    return {
      callerOf: (proxy) => callerOf(proxy, rules.facts),
      connectionCallerOf: (proxy) => callerOf(proxy, rules.connectionFacts),
      virtualHostOf: (service, port, inputs) => {
        const virtualService = httpOf(service);
        const routed = virtualService && translate(virtualService, service.hostname, port.number, inputs);
        return routed ?? defaults.virtualHostOf(clustersOf(service), port, inputs.timeoutMs);
      },
      connectionsOf: (service, port, caller) => {
        const plain = defaults.connectionsOf(clustersOf(service), port);
        const [tls, tcp] = [tlsOf(service), tcpOf(service)];
        if (tls === undefined && tcp === undefined) return plain;
        const [boundTls, boundTcp] = [tls && bound(tls), tcp && bound(tcp)];
        const keyOf = (each: VirtualService | undefined) => (each ? callerKey(caller, each.connectionFacts) : '');
        const key = [port.number, keyOf(tls), keyOf(tcp)].join('|');
        const place: RoutePlace = { gateway: MESH_GATEWAY, port: port.number, caller };
        return connections.of([boundTls ?? plain, boundTcp ?? plain, plain], key, () => ({
          tls: boundTls === undefined ? [] : translateTlsRoutes(boundTls, place),
          tcp: boundTcp === undefined ? [] : translateTcpRoutes(boundTcp, place),
          rest: plain.rest,
        }));
      },
      otherHostsAt: (port, inputs) =>
        (otherHosts().get(port) ?? []).flatMap(({ hostname, virtualService }): HostRoutes[] => {
          const virtualHost = translate(virtualService, hostname, port, inputs);
          return virtualHost === null ? [] : [{ hostname, virtualHost }];
        }),
      gatewayRoutesOf: (server, inputs) => routeGateway(rules.atGateway(server.gateway).map(bound), server, inputs),
      gatewayDestinations: (gateways) =>
        new Set([...gateways].flatMap((gateway) => rules.atGateway(gateway).flatMap((each) => each.destinationHosts))),
    };
  };
}

interface OtherHost {
  readonly hostname: string;
  readonly virtualService: VirtualService;
}

/** By port; the first of several objects for a host has it. */
function hostsOfNoService(
  rules: NamespaceRules,
  isService: (host: string) => boolean,
  guard: HostGuard,
): ReadonlyMap<number, readonly OtherHost[]> {
  const byPort = new Map<number, Map<string, OtherHost>>();
  for (const virtualService of rules.all()) {
    if (virtualService.http.length === 0 || !virtualService.gateways.has(MESH_GATEWAY)) continue;
    const isFree = rules.mayRoute(virtualService, undefined);
    for (const hostname of virtualService.hosts) {
      if (isService(hostname) || hostname === '*') continue;
      if (!isFree && hostGuardReason(hostname, virtualService.namespace, guard) !== undefined) continue;
      for (const port of portsOf(virtualService)) {
        const hosts = byPort.get(port) ?? new Map<string, OtherHost>();
        byPort.set(port, hosts);
        if (!hosts.has(hostname)) hosts.set(hostname, { hostname, virtualService });
      }
    }
  }
  return new Map([...byPort].map(([port, hosts]) => [port, [...hosts.values()]]));
}

/** The ports that conditions name, and port 80 if a route is for every port. */
function portsOf({ http }: VirtualService): ReadonlySet<number> {
  const ports = http.flatMap(({ match }) =>
    match === undefined || match.length === 0 ? [HTTP_PORT] : match.map(({ port }) => port ?? HTTP_PORT),
  );
  return new Set(ports);
}

function lazily<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** Computes once for each object, for as long as the view lives. */
function perObject<Subject extends object, Value>(compute: (subject: Subject) => Value): (subject: Subject) => Value {
  const values = new Map<Subject, Value>();
  return (subject) => {
    const known = values.get(subject);
    if (known !== undefined || values.has(subject)) return known as Value;
    const value = compute(subject);
    values.set(subject, value);
    return value;
  };
}
