import type { ConnectionDestinationSpec } from '../../../config/networking/virtual-service-destination.js';
import type { ConnectionMatch, ConnectionRoute, ForwardConnection } from '../connection-route.js';
import { holdsAt, type RoutePlace } from './caller.js';
import { type BoundVirtualService, resolveDestination } from './destinations.js';

/** The routes of TLS connections of an object at one place, in order. */
export function translateTlsRoutes(bound: BoundVirtualService, place: RoutePlace): readonly ConnectionRoute[] {
  return bound.virtualService.tls.flatMap(({ match, route }) => {
    const conditions = match.filter((condition) => holdsAt(condition, place));
    if (conditions.length === 0) return [];
    const action = forwardOf(route, bound, place.port);
    return conditions.map(({ sniHosts, destinationSubnets }) => ({
      match: {
        // Envoy has no "*": without names a chain takes every connection.
        ...(sniHosts.includes('*') ? {} : { serverNames: sniHosts.map((name) => name.toLowerCase()) }),
        ...rangesOf(destinationSubnets),
      },
      action,
    }));
  });
}

/** The routes of other connections of an object at one place, in order, up to the first that takes all. */
export function translateTcpRoutes(bound: BoundVirtualService, place: RoutePlace): readonly ConnectionRoute[] {
  const routes: ConnectionRoute[] = [];
  for (const { match = [], route } of bound.virtualService.tcp) {
    const conditions = match.filter((condition) => holdsAt(condition, place));
    if (match.length > 0 && conditions.length === 0) continue;
    const action = forwardOf(route, bound, place.port);
    if (match.length === 0) return [...routes, { match: {}, action }];
    for (const { destinationSubnets, sourceSubnet } of conditions) {
      const ranges = rangesOf(destinationSubnets);
      const sources = sourceSubnet === undefined ? {} : { sourceRanges: [cidrOf(sourceSubnet)] };
      routes.push({ match: { ...ranges, ...sources }, action });
      if (ranges.destinationRanges === undefined && sourceSubnet === undefined) return routes;
    }
  }
  return routes;
}

function rangesOf(subnets: readonly string[] = []): Pick<ConnectionMatch, 'destinationRanges'> {
  return subnets.length === 0 ? {} : { destinationRanges: [...new Set(subnets.map(cidrOf))] };
}

function cidrOf(address: string): string {
  if (address.includes('/')) return address;
  return `${address}/${address.includes(':') ? 128 : 32}`;
}

function forwardOf(
  route: readonly ConnectionDestinationSpec[],
  bound: BoundVirtualService,
  port: number,
): ForwardConnection {
  let hashesSourceAddress = false;
  const destinations = route.flatMap(({ destination, weight = 0 }) => {
    const share = route.length === 1 ? 1 : weight;
    // Envoy rejects destinations of connections without a share.
    if (share === 0) return [];
    const resolved = resolveDestination(destination, port, bound.clustersOf(destination.host));
    hashesSourceAddress ||= resolved.hashKey?.type === 'sourceAddress';
    return [{ ...resolved.destination, weight: share }];
  });
  return { type: 'forward', destinations, hashesSourceAddress };
}
