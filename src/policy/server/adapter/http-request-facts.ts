import type { HeaderMap } from '../../client/header-map.js';
import type { HttpRequestFacts } from '../../client/http-attributes.js';
import { FORWARDED_ATTRIBUTES_HEADER } from '../../wire/call-metadata.js';
import { checkConnectionFacts } from './check-connection.js';
import type { WireCheckRequest } from './envoy-messages.js';
import { requestAuthFacts } from './request-auth-facts.js';
import { wireNanoseconds } from './wire-numbers.js';

/**
 * What a Check of the HTTP filter says of its request (BEHAVIOUR 6, "HTTP check attributes").
 *
 * @param nowNs time of the request if Envoy told none, in nanoseconds since 1970-01-01T00:00:00Z
 */
export function httpRequestFacts(message: WireCheckRequest, nowNs: bigint): HttpRequestFacts {
  const { request, metadataContext } = message.attributes ?? {};
  const http = request?.http ?? {};
  return {
    method: http.method ?? '',
    host: http.host ?? '',
    target: http.path ?? '',
    scheme: http.scheme || undefined,
    headers: headersOf(http.headers),
    timeNs: wireNanoseconds(request?.time) ?? nowNs,
    connection: checkConnectionFacts(message),
    auth: requestAuthFacts(metadataContext),
  };
}

/**
 * Headers without those of HTTP/2 that begin with a colon, which have attributes of their own, and without forwarded
 * attributes, which are none (BEHAVIOUR 6, "Header").
 */
export function headersOf(headers: Readonly<Record<string, string>> | undefined): HeaderMap {
  const map = new Map<string, string>();
  for (const name in headers) {
    // Looked up as own members: a header may be called __proto__.
    if (name.charCodeAt(0) === COLON || name === FORWARDED_ATTRIBUTES_HEADER || !Object.hasOwn(headers, name)) continue;
    map.set(name, headers[name] ?? '');
  }
  return map;
}

const COLON = 0x3a;
