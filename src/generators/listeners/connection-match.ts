import { cidrRange } from '../../envoy/addresses.js';
import type { FilterChainMatch } from '../../generated/envoy/config/listener/v3/FilterChainMatch.js';
import type { ConnectionMatch } from '../../model/traffic/connection-route.js';

/** The condition of a filter chain; empty for all connections. */
export function buildConnectionMatch({
  port,
  destinationRanges,
  sourceRanges,
  serverNames,
}: ConnectionMatch): FilterChainMatch {
  return {
    ...(port === undefined ? {} : { destinationPort: { value: port } }),
    ...(destinationRanges === undefined ? {} : { prefixRanges: destinationRanges.map(cidrRange) }),
    ...(sourceRanges === undefined ? {} : { sourcePrefixRanges: sourceRanges.map(cidrRange) }),
    ...(serverNames === undefined ? {} : { serverNames: [...serverNames] }),
  };
}

/**
 * The application protocols that the http_inspector reports for plaintext HTTP. Without HTTP/1.0 support, a proxy
 * passes HTTP/1.0 connections on as bytes.
 */
export function plaintextHttpProtocols(acceptHttp10: boolean): string[] {
  return acceptHttp10 ? ['http/1.0', 'http/1.1', 'h2c'] : ['http/1.1', 'h2c'];
}
