import type { GrpcService } from '../generated/envoy/config/core/v3/GrpcService.js';
import type { HeaderValue } from '../generated/envoy/config/core/v3/HeaderValue.js';
import { duration } from './durations.js';
import { parseOutboundClusterName } from './names.js';
import { buildRetryPolicy, literal, type ServiceRetries } from './service-retries.js';

/** A gRPC server that Envoy calls. */
export interface GrpcServiceOptions {
  readonly cluster: string;
  /** Timeout of one call with all its retries; undefined for streams. */
  readonly timeoutMs?: number;
  readonly retries?: ServiceRetries;
  /** Metadata of each call; keys in lower case. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** The same, with format strings of access logs as values, such as `%STREAM_ID%`. */
  readonly formattedMetadata?: Readonly<Record<string, string>>;
}

/** Calls that did not get an answer, beside those that did not reach a server. */
const NOT_ANSWERED = 'reset,unavailable,cancelled,deadline-exceeded,5xx';

export function buildGrpcService(options: GrpcServiceOptions): GrpcService {
  const { cluster, timeoutMs, retries, metadata = {}, formattedMetadata = {} } = options;
  return {
    envoyGrpc: { clusterName: cluster, ...authorityOf(cluster) },
    ...(timeoutMs === undefined ? {} : { timeout: duration(timeoutMs) }),
    ...(retries === undefined ? {} : { retryPolicy: buildRetryPolicy(retries, timeoutMs ?? 0, NOT_ANSWERED) }),
    initialMetadata: [
      ...Object.entries(metadata).map(([key, value]): HeaderValue => ({ key, value: literal(value) })),
      ...Object.entries(formattedMetadata).map(([key, value]): HeaderValue => ({ key, value })),
    ],
  };
}

/**
 * Authority of the calls. Envoy's default is the cluster's name, and servers reject an authority that is not a valid
 * host.
 */
function authorityOf(cluster: string): { authority?: string } {
  const parsed = parseOutboundClusterName(cluster);
  if (parsed === undefined) return {};
  const { hostname, port } = parsed;
  return { authority: `${hostname.includes(':') ? `[${hostname}]` : hostname}:${port}` };
}
