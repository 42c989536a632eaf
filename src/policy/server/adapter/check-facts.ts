import type { ConnectionFacts } from '../../client/connection-attributes.js';
import type { HeaderMap } from '../../client/header-map.js';
import type { HttpRequestFacts } from '../../client/http-attributes.js';
import type { TcpConnectionFacts } from '../../client/tcp-attributes.js';
import { FORWARDED_ATTRIBUTES_HEADER } from '../../wire/call-metadata.js';
import type { WireCheckRequest } from './envoy-messages.js';
import { requestAuthFacts } from './request-auth-facts.js';
import { ipBytesOf, wireNanoseconds } from './wire-values.js';

/** The connection that a Check is about. Envoy names a principal exactly when the peer's certificate was verified. */
function checkConnectionFacts({ attributes }: WireCheckRequest): ConnectionFacts {
  const sourcePrincipal = attributes?.source?.principal || undefined;
  return {
    isMtls: sourcePrincipal !== undefined,
    originIp: ipBytesOf(attributes?.source?.address),
    requestedServerName: attributes?.tlsSession?.sni || undefined,
    sourcePrincipal,
    destinationPrincipal: attributes?.destination?.principal || undefined,
  };
}

/** What a Check of a TCP filter does not have in its message. */
export interface TcpCallFacts {
  /** The id that the access log knows the connection by. */
  readonly id: string;
  /** When it was opened, in nanoseconds since 1970-01-01T00:00:00Z. */
  readonly timeNs: bigint;
}

/** What a Check of the network filter says of its connection (docs/reference/policy-client.md#tcp-attributes). */
export function tcpConnectionFacts(message: WireCheckRequest, { id, timeNs }: TcpCallFacts): TcpConnectionFacts {
  const sourceIp = ipBytesOf(message.attributes?.source?.address);
  return { id, timeNs, connection: checkConnectionFacts(message), ...(sourceIp && { sourceIp }) };
}

/** Whether a Check is about a connection: it has no request then. */
export function isTcpCheck({ attributes }: WireCheckRequest): boolean {
  return attributes?.request?.http === undefined || attributes.request.http === null;
}

/**
 * What a Check of the HTTP filter says of its request (docs/reference/policy-client.md#http-attributes).
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
 * attributes, which are none (docs/reference/policy-client.md#forwarded-attributes).
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
