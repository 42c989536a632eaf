import type { ConnectionFacts } from '../../client/connection-attributes.js';
import type { HeaderMap } from '../../client/header-map.js';
import type { HttpRequestFacts } from '../../client/http-attributes.js';
import type { TcpConnectionFacts } from '../../client/tcp-attributes.js';
import { FORWARDED_ATTRIBUTES_HEADER, RECEIPT_HEADER, SERVICE_EXTENSION } from '../../wire/call-metadata.js';
import type { CheckedRequest } from '../checked-request.js';
import type { WireCheckRequest } from './envoy-messages.js';
import { requestAuthFacts } from './request-auth-facts.js';
import { ipBytesOf, wireNanoseconds } from './wire-values.js';

/** The connection of a Check. Envoy names a principal exactly when it has verified the certificate of the peer. */
export function checkConnectionFacts({ attributes }: WireCheckRequest): ConnectionFacts {
  const sourcePrincipal = attributes?.source?.principal || undefined;
  return {
    isMtls: sourcePrincipal !== undefined,
    originIp: ipBytesOf(attributes?.source?.address),
    requestedServerName: attributes?.tlsSession?.sni || undefined,
    sourcePrincipal,
    destinationPrincipal: attributes?.destination?.principal || undefined,
  };
}

/** The facts that the message of a TCP Check lacks. */
export interface TcpCallFacts {
  /** The id of the connection in the access log. */
  readonly id: string;
  /** When it was opened, in nanoseconds since 1970-01-01T00:00:00Z. */
  readonly timeNs: bigint;
}

/** The facts of a connection from a Check of the network filter (docs/reference/policy-client.md#tcp-attributes). */
export function tcpConnectionFacts(message: WireCheckRequest, { id, timeNs }: TcpCallFacts): TcpConnectionFacts {
  const sourceIp = ipBytesOf(message.attributes?.source?.address);
  return { id, timeNs, connection: checkConnectionFacts(message), ...(sourceIp && { sourceIp }) };
}

/** Whether a Check is about a connection: its message has no request. */
export function isTcpCheck({ attributes }: WireCheckRequest): boolean {
  return attributes?.request?.http === undefined || attributes.request.http === null;
}

/** The request of a Check of the HTTP filter. @param nowNs as below */
export function checkedRequestOf(message: WireCheckRequest, nowNs: bigint): CheckedRequest {
  const { request, contextExtensions } = message.attributes ?? {};
  const http = request?.http ?? {};
  const facts = httpRequestFacts(message, nowNs);
  return {
    facts,
    routeService: contextExtensions?.[SERVICE_EXTENSION] || undefined,
    forwarded: http.headers?.[FORWARDED_ATTRIBUTES_HEADER],
    receipt: http.headers?.[RECEIPT_HEADER],
    // Envoy's number of the stream and the time: the same for repeated attempts at this Check.
    id: http.id ? `${http.id}@${facts.timeNs}` : undefined,
  };
}

/**
 * The facts of a request from a Check of the HTTP filter (docs/reference/policy-client.md#http-attributes).
 *
 * @param nowNs time of the request when Envoy sent none, in nanoseconds since 1970-01-01T00:00:00Z
 */
function httpRequestFacts(message: WireCheckRequest, nowNs: bigint): HttpRequestFacts {
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
 * Headers without the pseudo-headers of HTTP/2, which have separate attributes, and without the headers between proxies:
 * forwarded attributes (docs/reference/policy-client.md#forwarded-attributes) and receipts.
 */
export function headersOf(headers: Readonly<Record<string, string>> | undefined): HeaderMap {
  const map = new Map<string, string>();
  for (const name in headers) {
    // hasOwn, because a header may have the name __proto__.
    if (name.charCodeAt(0) === COLON || !Object.hasOwn(headers, name)) continue;
    if (name === FORWARDED_ATTRIBUTES_HEADER || name === RECEIPT_HEADER) continue;
    map.set(name, headers[name] ?? '');
  }
  return map;
}

const COLON = 0x3a;
