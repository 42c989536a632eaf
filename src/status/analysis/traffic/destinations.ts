import type { DestinationPart, VirtualServicePart } from './traffic-specs.js';

/** A destination of a VirtualService, and its field. */
export interface NamedDestination {
  readonly field: string;
  readonly destination: DestinationPart;
}

/** All destinations of a VirtualService: of requests, mirrored requests, TLS and TCP connections. */
export function* destinationsOf({ http = [], tls = [], tcp = [] }: VirtualServicePart): Iterable<NamedDestination> {
  for (const [kind, routes] of [
    ['http', http],
    ['tls', tls],
    ['tcp', tcp],
  ] as const) {
    for (const [index, { route = [] }] of routes.entries()) {
      for (const [at, { destination }] of route.entries()) {
        if (destination === undefined) continue;
        yield { field: `spec.${kind}[${index}].route[${at}].destination`, destination };
      }
    }
  }
  for (const [index, { mirror }] of http.entries()) {
    if (mirror !== undefined) yield { field: `spec.http[${index}].mirror`, destination: mirror };
  }
}
