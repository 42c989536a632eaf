import type { GrpcService } from '../generated/envoy/config/core/v3/GrpcService.js';
import type { HeaderValue } from '../generated/envoy/config/core/v3/HeaderValue.js';
import type { RetryPolicy } from '../generated/envoy/config/core/v3/RetryPolicy.js';
import { duration } from './durations.js';
import { parseOutboundClusterName } from './names.js';

/** How often a call without an answer is retried, and after which time. */
export interface GrpcRetries {
  /** With 0, calls that have not reached a server are retried all the same: no server can have acted on them. */
  readonly maxRetries: number;
  /** At least 1. */
  readonly baseWaitMs: number;
  /** At least `baseWaitMs`. It is also the timeout of each attempt, which is at least 250 ms (see below). */
  readonly maxWaitMs: number;
}

/** A gRPC server that Envoy calls. */
export interface GrpcServiceOptions {
  readonly cluster: string;
  /** Timeout of one call with all its retries; undefined for streams. */
  readonly timeoutMs?: number;
  readonly retries?: GrpcRetries;
  /** Metadata of each call; keys in lower case. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** The same, with format strings of access logs as values, such as `%STREAM_ID%`. */
  readonly formattedMetadata?: Readonly<Record<string, string>>;
}

/** Calls that did not reach a server. */
const NOT_REACHED = 'connect-failure,refused-stream,reset-before-request';

/** Calls that did not reach a server, or got no answer from one. */
const NOT_ANSWERED = `${NOT_REACHED},reset,unavailable,cancelled,deadline-exceeded,5xx`;

/** For calls without retries: enough attempts, almost without waits, to find one of several servers that is alive. */
const FIND_A_SERVER = { maxRetries: 3, baseWaitMs: 10 } as const;

/**
 * Envoy takes the longest wait as the timeout of an attempt too. Short waits must not make attempts at a slow server
 * fail.
 */
const MIN_ATTEMPT_MS = 250;

/**
 * A retry goes to a server that has not failed yet, if there is one. Envoy picks servers until it finds one, and picks
 * a dead server, which has the fewest requests, three times out of four if there are two. So the number of picks is
 * high. A single server is tried again.
 */
const ANOTHER_SERVER = {
  retryHostPredicate: [
    {
      name: 'envoy.retry_host_predicates.previous_hosts',
      typedConfig: {
        type_url: 'type.googleapis.com/envoy.extensions.retry.host.previous_hosts.v3.PreviousHostsPredicate',
        // The message has no fields.
        value: Buffer.alloc(0),
      },
    },
  ],
  hostSelectionRetryMaxAttempts: 32,
} satisfies RetryPolicy;

export function buildGrpcService(options: GrpcServiceOptions): GrpcService {
  const { cluster, timeoutMs, retries, metadata = {}, formattedMetadata = {} } = options;
  return {
    envoyGrpc: { clusterName: cluster, ...authorityOf(cluster) },
    ...(timeoutMs === undefined ? {} : { timeout: duration(timeoutMs) }),
    ...(retries === undefined ? {} : { retryPolicy: buildRetryPolicy(retries, timeoutMs) }),
    initialMetadata: [
      ...Object.entries(metadata).map(([key, value]): HeaderValue => ({ key, value: literal(value) })),
      ...Object.entries(formattedMetadata).map(([key, value]): HeaderValue => ({ key, value })),
    ],
  };
}

/** @param timeoutMs of the call; the attempt that reaches a server has all of it */
function buildRetryPolicy(retries: GrpcRetries, timeoutMs = 0): RetryPolicy {
  const isRetried = retries.maxRetries > 0;
  const { maxRetries, baseWaitMs } = isRetried ? retries : FIND_A_SERVER;
  const attemptMs = Math.max(retries.maxWaitMs, isRetried ? MIN_ATTEMPT_MS : timeoutMs);
  return {
    retryOn: isRetried ? NOT_ANSWERED : NOT_REACHED,
    numRetries: { value: maxRetries },
    retryBackOff: { baseInterval: duration(baseWaitMs), maxInterval: duration(attemptMs) },
    ...ANOTHER_SERVER,
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

/** Envoy replaces `%…%` in such a value. */
function literal(value: string): string {
  return value.replaceAll('%', '%%');
}
