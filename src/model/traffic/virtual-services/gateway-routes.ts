import { appendTo } from '../../../base/append-to.js';
import { coversHost } from '../../../config/networking/host-names.js';
import { createMemo } from '../../memo.js';
import type { ConnectionRoute } from '../connection-route.js';
import type { HttpRoute, VirtualHost } from '../http-route.js';
import type { HostRoutes, RouteInputs } from '../service-routes.js';
import { type Caller, callerKey, type RoutePlace } from './caller.js';
import { translateTcpRoutes, translateTlsRoutes } from './connection-routes.js';
import type { BoundVirtualService } from './destinations.js';
import { isCatchAll } from './http-conditions.js';
import { translateHttpRoutes } from './http-routes.js';
import type { VirtualService } from './virtual-service.js';

/** A server of a Gateway, as far as routes depend on it. */
export interface RoutedServer {
  /** `<namespace>/<name>` of its Gateway. */
  readonly gateway: string;
  /** Number of its port. */
  readonly port: number;
  /** As in the Gateway: `<host>`, or `<namespace>/<host>` where the namespace may be `*` or `.`. */
  readonly hosts: readonly string[];
}

/** The routes of one server. */
export interface GatewayRoutes {
  /** Each host once: the narrower of the host of the server and that of the VirtualService. */
  readonly hosts: readonly HostRoutes[];
  /** Of TLS connections that are passed on encrypted, in order; their server names are within the hosts of the server. */
  readonly tls: readonly ConnectionRoute[];
  /** Of other connections, in order. */
  readonly tcp: readonly ConnectionRoute[];
}

/** What the routes of a gateway depend on beside the view. */
export interface GatewayInputs extends RouteInputs {
  /** The proxy, as far as the rules of connections read it. */
  readonly connectionCaller: Caller;
}

export type GatewayRouter = (
  bound: readonly BoundVirtualService[],
  server: RoutedServer,
  inputs: GatewayInputs,
) => GatewayRoutes;

/**
 * Merges the VirtualServices of a server: the routes of each host follow one another, the oldest object first, and routes
 * for every request come last.
 */
export function createGatewayRouter(): GatewayRouter {
  const translated = createMemo<readonly HttpRoute[]>();
  const virtualHosts = createMemo<VirtualHost>();
  const connections = createMemo<readonly ConnectionRoute[]>();

  const httpRoutes = (bound: BoundVirtualService, place: RoutePlace, timeoutMs: number): readonly HttpRoute[] =>
    translated.of([bound], placeKey(bound, place, timeoutMs), () => translateHttpRoutes(bound, place, timeoutMs));

  return (all, server, { caller, connectionCaller, timeoutMs }) => {
    const place: RoutePlace = { gateway: server.gateway, port: server.port, caller };
    const connectionPlace: RoutePlace = { ...place, caller: connectionCaller };
    const byHost = new Map<string, (readonly HttpRoute[])[]>();
    const tls: ConnectionRoute[] = [];
    const tcp: ConnectionRoute[] = [];
    for (const bound of all) {
      const hosts = commonHosts(bound.virtualService, server);
      if (hosts.length === 0) continue;
      const routes = httpRoutes(bound, place, timeoutMs);
      if (routes.length > 0) {
        for (const host of hosts) {
          appendTo(byHost, host, routes);
        }
      }
      const key = `${place.gateway}|${place.port}|${callerKey(connectionCaller, bound.virtualService.connectionFacts)}`;
      tls.push(
        ...connections.of([bound], `tls|${key}|${hosts.join()}`, () =>
          limitNames(translateTlsRoutes(bound, connectionPlace), hosts),
        ),
      );
      tcp.push(...connections.of([bound], `tcp|${key}`, () => translateTcpRoutes(bound, connectionPlace)));
    }
    const hosts = [...byHost].map(([hostname, [first = [], ...others]]): HostRoutes => {
      const name = `${hostname}:${server.port}`;
      const merged = others.length === 0 ? first : mergeRoutes([first, ...others]);
      const dependency = others.length === 0 ? first : merged;
      return { hostname, virtualHost: virtualHosts.of([dependency], name, () => ({ name, routes: merged })) };
    });
    return { hosts, tls, tcp };
  };
}

/** Routes for every request last, of which only the first can apply. */
function mergeRoutes(lists: readonly (readonly HttpRoute[])[]): readonly HttpRoute[] {
  const routes = lists.flat();
  const rest = routes.find(({ match }) => isCatchAll(match));
  return [...routes.filter(({ match }) => !isCatchAll(match)), ...(rest === undefined ? [] : [rest])];
}

/** The hosts that both the object and the server are for, each once. */
export function commonHosts(
  { hosts, namespace, isForExactHosts }: Pick<VirtualService, 'hosts' | 'namespace' | 'isForExactHosts'>,
  server: Pick<RoutedServer, 'gateway' | 'hosts'>,
): readonly string[] {
  const common = new Set<string>();
  const own = server.gateway.slice(0, server.gateway.indexOf('/'));
  for (const each of server.hosts) {
    const slash = each.indexOf('/');
    const required = slash < 0 ? '*' : each.slice(0, slash);
    if (required !== '*' && (required === '.' ? own : required) !== namespace) continue;
    const serverHost = each.slice(slash + 1).toLowerCase();
    for (const host of hosts) {
      if (coversHost(serverHost, host)) common.add(host);
      else if (isForExactHosts !== true && coversHost(host, serverHost)) common.add(serverHost);
    }
  }
  return [...common];
}

/** Server names that the server is not for are left out. */
function limitNames(routes: readonly ConnectionRoute[], hosts: readonly string[]): readonly ConnectionRoute[] {
  return routes.flatMap((route) => {
    const { serverNames } = route.match;
    if (serverNames === undefined) {
      return hosts.includes('*') ? [route] : [{ ...route, match: { ...route.match, serverNames: hosts } }];
    }
    const kept = new Set<string>();
    for (const name of serverNames) {
      for (const host of hosts) {
        if (coversHost(host, name)) kept.add(name);
        else if (coversHost(name, host)) kept.add(host);
      }
    }
    return kept.size === 0 ? [] : [{ ...route, match: { ...route.match, serverNames: [...kept] } }];
  });
}

function placeKey(
  { virtualService }: BoundVirtualService,
  { gateway, port, caller }: RoutePlace,
  timeoutMs: number,
): string {
  return `${gateway}|${port}|${timeoutMs}|${callerKey(caller, virtualService.facts)}`;
}
