import type { HeadersSpec } from './virtual-service-destination.js';
import type { HttpRouteSpec } from './virtual-service-http.js';

/** Names of fields, lengths, names of clusters. */
const BYTES_PER_DESTINATION = 256;
const BYTES_PER_ROUTE = 192;
const BYTES_PER_TEXT = 32;

/** About how many bytes the routes take in a virtual host: each condition is a route of its own. */
export function httpRouteBytes(routes: readonly HttpRouteSpec[]): number {
  let bytes = 0;
  for (const route of routes) {
    const { match = [], route: destinations = [], mirror } = route;
    const action =
      BYTES_PER_ROUTE +
      (destinations.length + (mirror === undefined ? 0 : 1)) * BYTES_PER_DESTINATION +
      textBytes([route.rewrite, route.redirect, route.corsPolicy, route.retries]) +
      headerBytes(route.headers) +
      destinations.reduce((sum, { destination, headers }) => sum + destination.host.length + headerBytes(headers), 0);
    bytes += Math.max(1, match.length) * action;
    for (const { gateways: _, sourceLabels: __, ...conditions } of match) bytes += textBytes([conditions]);
  }
  return bytes;
}

function headerBytes(headers: HeadersSpec | undefined): number {
  return headers === undefined ? 0 : textBytes([headers]);
}

/** All texts in a value, with their keys. */
function textBytes(values: readonly unknown[]): number {
  let bytes = 0;
  for (const value of values) {
    if (typeof value === 'string') bytes += Buffer.byteLength(value) + BYTES_PER_TEXT;
    else if (Array.isArray(value)) bytes += textBytes(value);
    else if (typeof value === 'object' && value !== null) {
      for (const [key, each] of Object.entries(value)) bytes += Buffer.byteLength(key) + textBytes([each]);
    }
  }
  return bytes;
}
