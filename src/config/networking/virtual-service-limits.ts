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
} as const;
