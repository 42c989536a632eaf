/**
 * Limits of a VirtualService. They limit the cost of one object: every proxy that sees it gets its routes once for each
 * port of its hosts.
 */
export const VIRTUAL_SERVICE_LIMITS = {
  hosts: 256,
  gateways: 256,
  /** Routes of each of `http`, `tls` and `tcp`. */
  routes: 1000,
  /** Conditions of a route, one of which must match. */
  matches: 100,
  /** Destinations of a route. */
  destinations: 100,
  /** Headers, query parameters, labels, address ranges and server names of one condition or change. */
  perCondition: 100,
  /** Characters of a name. */
  nameLength: 253,
  /** Characters of a text to compare or to set. */
  textLength: 4096,
  /** About how many bytes all routes may take in one virtual host. */
  routeBytes: 512 * 1024,
  /** The same with a wildcard for sidecars: every service that it matches has a virtual host for each port. */
  wildcardRouteBytes: 32 * 1024,
  /** About how many bytes the routes may take in the virtual hosts of all hosts of the object. */
  allHostsBytes: 8 * 1024 * 1024,
} as const;

/** The limit of the routes of an object. @param isForMesh whether sidecars use it */
export function routeBytesLimit(hosts: readonly string[], isForMesh: boolean): number {
  const isMultiplied = isForMesh && hosts.some((host) => host.startsWith('*'));
  const { routeBytes, wildcardRouteBytes, allHostsBytes } = VIRTUAL_SERVICE_LIMITS;
  const ofHost = isMultiplied ? wildcardRouteBytes : routeBytes;
  return Math.min(ofHost, Math.floor(allHostsBytes / Math.max(1, hosts.length)));
}
