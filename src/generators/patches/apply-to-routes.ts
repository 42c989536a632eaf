import type { MessageFields } from '../../envoy/messages/message-problem.js';
import type { Patch } from '../../model/patches/envoy-patches.js';
import { changeList } from './patch-list.js';
import { isForSide, isPort, type PatchPlace, type TrafficSide } from './patch-place.js';
import { listOf, messageIn, type PatchTools, textIn } from './patch-tools.js';

/** The traffic that a route configuration is for, and its port where the name of the configuration does not tell it. */
export interface RoutePlace extends PatchPlace {
  readonly side: TrafficSide;
  readonly port: number | undefined;
}

type RouteMatch = NonNullable<NonNullable<Patch['match']>['routeConfiguration']>;

/** Applies a patch to a route configuration. @returns whether it changed */
export function applyToRoutes(tools: PatchTools, patch: Patch, routes: MessageFields, place: RoutePlace): boolean {
  if (!isForSide(patch.match, place.side)) return false;
  const match = patch.match?.routeConfiguration ?? {};
  switch (patch.applyTo) {
    case 'ROUTE_CONFIGURATION':
      if (!matchesConfiguration(match, routes, place)) return false;
      tools.merge(patch, routes);
      return true;
    case 'VIRTUAL_HOST':
      if (!matchesConfiguration(match, routes, place)) return false;
      return changeList(listOf(routes, 'virtualHosts'), {
        operation: patch.patch.operation,
        isSelective: match.vhost?.name !== undefined,
        matches: (host) => matchesHost(match, host),
        create: () => tools.valueOf(patch),
        merge: (host) => tools.merge(patch, host),
      });
    case 'HTTP_ROUTE': {
      if (!matchesConfiguration(match, routes, place)) return false;
      const changed = listOf(routes, 'virtualHosts')
        .filter((host) => matchesHost(match, host))
        .map((host) =>
          changeList(listOf(host, 'routes'), {
            operation: patch.patch.operation,
            isSelective: match.vhost?.route !== undefined,
            matches: (route) => matchesRoute(match, route),
            create: () => tools.valueOf(patch),
            merge: (route) => tools.merge(patch, route),
          }),
        );
      return changed.includes(true);
    }
    default:
      return false;
  }
}

function matchesConfiguration(match: RouteMatch, routes: MessageFields, place: RoutePlace): boolean {
  const name = textIn(routes, 'name');
  if (match.name !== undefined && match.name !== name) return false;
  const gateway = place.side === 'GATEWAY' ? gatewayRoutes(name) : undefined;
  if (match.gateway !== undefined && gateway?.gateway !== match.gateway) return false;
  if (gateway?.portName !== undefined && match.portName !== undefined) {
    const isNamed = gateway.portName.toLowerCase() === match.portName.toLowerCase();
    return isNamed && (match.portNumber === undefined || match.portNumber === gateway.port);
  }
  const port = gateway?.port ?? place.port ?? sidecarPort(name);
  return isPort(match, port, place.side, place.ports);
}

interface GatewayRoutes {
  readonly port: number;
  readonly portName?: string | undefined;
  /** `<namespace>/<name>`; plain HTTP servers of several Gateways share one configuration. */
  readonly gateway?: string;
}

/** The parts of `http.<port>` and `https.<port>.<portName>.<gateway>.<namespace>`. */
function gatewayRoutes(name: string): GatewayRoutes | undefined {
  const [, httpPort] = /^http\.(\d{1,5})$/.exec(name) ?? [];
  if (httpPort !== undefined) return { port: Number(httpPort) };
  const [, port, portName, gateway, namespace] = /^https\.(\d{1,5})\.([^.]+)\.(.+)\.([^.]+)$/.exec(name) ?? [];
  if (namespace === undefined) return undefined;
  return { port: Number(port), portName, gateway: `${namespace}/${gateway}` };
}

/** The port at the end of `80` and `web.shop.svc.cluster.local:80`. */
function sidecarPort(name: string): number | undefined {
  const [, port] = /(?:^|:)(\d{1,5})$/.exec(name) ?? [];
  return port === undefined ? undefined : Number(port);
}

function matchesHost({ vhost }: RouteMatch, host: MessageFields): boolean {
  return vhost?.name === undefined || vhost.name === textIn(host, 'name');
}

function matchesRoute({ vhost }: RouteMatch, route: MessageFields): boolean {
  const match = vhost?.route;
  if (match === undefined) return true;
  if (match.name !== undefined && match.name !== textIn(route, 'name')) return false;
  switch (match.action) {
    case 'ANY':
      return true;
    case 'ROUTE':
      return messageIn(route, 'route') !== undefined;
    case 'REDIRECT':
      return messageIn(route, 'redirect') !== undefined;
    case 'DIRECT_RESPONSE':
      return messageIn(route, 'directResponse') !== undefined;
  }
}
