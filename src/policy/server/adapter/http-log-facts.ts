import type { HttpRequestFacts } from '../../client/http-attributes.js';
import type { DecisionFacts, HttpResponseFacts } from '../../client/http-report-attributes.js';
import { headersOf } from './check-facts.js';
import type { WireHttpLogEntry, WireLogCommon } from './envoy-messages.js';
import { logConnectionFacts } from './log-connection.js';
import { proxyErrorCode } from './response-flags.js';
import { ipBytesOf, portOf, wireInt64, wireNanoseconds } from './wire-values.js';

/** The side of the proxy in a log entry. */
export type LogSide = 'inbound' | 'outbound';

/** By the number of envoy.config.core.v3.RequestMethod. */
const METHODS = ['', 'GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'CONNECT', 'OPTIONS', 'TRACE', 'PATCH'] as const;

/**
 * The request of an access log entry, as its Check knew it: the path is the one before rewrites, the method the one in
 * the headers where they are logged, for Envoy's list of methods is short.
 */
export function httpLogRequestFacts(entry: WireHttpLogEntry): HttpRequestFacts {
  const common = entry.commonProperties ?? {};
  const request = entry.request ?? {};
  const logged = headersOf(request.requestHeaders);
  const headers = new Map(logged);
  if (request.userAgent) headers.set('user-agent', request.userAgent);
  if (request.referer) headers.set('referer', request.referer);
  return {
    method: METHODS[request.requestMethod ?? 0] || (request.requestHeaders?.[':method'] ?? ''),
    host: request.authority ?? '',
    target: request.originalPath || (request.path ?? ''),
    ...(request.scheme && { scheme: request.scheme }),
    headers,
    timeNs: wireNanoseconds(common.startTime) ?? 0n,
    connection: logConnectionFacts(common),
  };
}

/**
 * The facts that an access log entry adds to its request (docs/reference/policy-client.md#report-attributes).
 *
 * @param decision of the Check; empty without a Check
 */
export function httpLogResponseFacts(
  entry: WireHttpLogEntry,
  side: LogSide,
  decision: DecisionFacts,
): HttpResponseFacts {
  const common = entry.commonProperties ?? {};
  const { request, response } = entry;
  const startNs = wireNanoseconds(common.startTime);
  const durationNs = wireNanoseconds(common.duration);
  const headers = headersOf(response?.responseHeaders ?? undefined);
  const trailers = headersOf(response?.responseTrailers ?? undefined);
  const grpcStatus = trailers.get('grpc-status') ?? headers.get('grpc-status');
  const grpcMessage = trailers.get('grpc-message') ?? headers.get('grpc-message');
  const proxyError = proxyErrorCode(common.responseFlags);
  const requestBody = wireInt64(request?.requestBodyBytes);
  const responseBody = wireInt64(response?.responseBodyBytes);
  const responseCode = response?.responseCode?.value;
  return {
    ...destinationOf(common, side),
    headers,
    ...(startNs !== undefined && durationNs !== undefined && { timeNs: startNs + durationNs }),
    requestBodyBytes: requestBody,
    responseBodyBytes: responseBody,
    requestTotalBytes: requestBody + wireInt64(request?.requestHeadersBytes),
    responseTotalBytes: responseBody + wireInt64(response?.responseHeadersBytes),
    ...(durationNs !== undefined && { durationNs }),
    // 0: the caller disconnected before a response.
    ...(responseCode !== undefined && { responseCode }),
    ...(grpcStatus !== undefined && { grpcStatus }),
    ...(grpcMessage !== undefined && { grpcMessage }),
    ...(proxyError !== undefined && { proxyErrorCode: proxyError }),
    decision,
  };
}

/**
 * The workload that served the request. Its own proxy reaches it over the loopback device, so that the local address of
 * the connection is used there.
 */
export function destinationOf(
  common: WireLogCommon,
  side: LogSide,
): { readonly destinationIp?: Uint8Array; readonly destinationPort?: number } {
  const address = side === 'inbound' ? common.downstreamLocalAddress : common.upstreamRemoteAddress;
  const destinationIp = ipBytesOf(address);
  const destinationPort = portOf(address);
  return {
    ...(destinationIp && { destinationIp }),
    ...(destinationPort !== undefined && { destinationPort }),
  };
}
