import type { GrpcService } from '../generated/envoy/config/core/v3/GrpcService.js';
import type { HeaderValue } from '../generated/envoy/config/core/v3/HeaderValue.js';
import type { RetryPolicy } from '../generated/envoy/config/core/v3/RetryPolicy.js';
import { duration } from './durations.js';
import { parseOutboundClusterName } from './names.js';

/** How often a call that got no answer is made again, and after which time. */
export interface GrpcRetries {
  /** With 0, calls that have not reached a server are made again all the same: nobody can have acted on those. */
  readonly maxRetries: number;
  /** At least 1. */
  readonly baseWaitMs: number;
  /** At least `baseWaitMs`. Envoy gives every attempt this long too, but never less than 250 ms (see below). */
  readonly maxWaitMs: number;
}

/** A gRPC server that Envoy calls. */
export interface GrpcServiceOptions {
  readonly cluster: string;
  /** For one call with all its retries; none for streams. */
  readonly timeoutMs?: number;
  readonly retries?: GrpcRetries;
  /** Metadata of every call, by key in lower case. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** The same, with values that are format strings as in access logs, such as `%STREAM_ID%`. */
  readonly formattedMetadata?: Readonly<Record<string, string>>;
}

/** Calls that did not reach a server. */
const NOT_REACHED = 'connect-failure,refused-stream,reset-before-request';

/** Calls that did not reach a server, or got no answer from one. */
const NOT_ANSWERED = `${NOT_REACHED},reset,unavailable,cancelled,deadline-exceeded,5xx`;

/** For calls that are not to be retried: as many as find a server that lives, of several, and almost at once. */
const FIND_A_SERVER = { maxRetries: 3, baseWaitMs: 10 } as const;

/**
 * Envoy takes the longest wait as the timeout of an attempt: whoever wants retries to follow each other closely does
 * not want a server under load to be given up on.
 */
const MIN_ATTEMPT_MS = 250;

/**
 * Of several servers, a retry asks one that has not failed yet. Envoy draws until it has one, and a dead server, which
 * has the fewest requests, is drawn three times out of four of two: so it may draw often. A server that is alone is
 * asked again.
 */
const ANOTHER_SERVER = {
  retryHostPredicate: [
    {
      name: 'envoy.retry_host_predicates.previous_hosts',
      typedConfig: {
        type_url: 'type.googleapis.com/envoy.extensions.retry.host.previous_hosts.v3.PreviousHostsPredicate',
        // A message without fields.
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

/** @param timeoutMs for the call: the one attempt that reaches a server has all of it */
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
 * What the server is called by. Envoy takes the cluster's name if not told otherwise, and servers refuse what cannot
 * be a host.
 */
function authorityOf(cluster: string): { authority?: string } {
  const parsed = parseOutboundClusterName(cluster);
  if (parsed === undefined) return {};
  const { hostname, port } = parsed;
  return { authority: `${hostname.includes(':') ? `[${hostname}]` : hostname}:${port}` };
}

/** Envoy reads `%…%` in such a value as something to put in. */
function literal(value: string): string {
  return value.replaceAll('%', '%%');
}
