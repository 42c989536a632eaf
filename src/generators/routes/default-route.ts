import { duration } from '../../envoy/durations.js';
import type { MessageEncoder } from '../../envoy/message-encoder.js';
import { outboundClusterName } from '../../envoy/names.js';
import type { RetryPolicy } from '../../generated/envoy/config/route/v3/RetryPolicy.js';
import type { Route } from '../../generated/envoy/config/route/v3/Route.js';
import type { Port, Service } from '../../model/service.js';

const PREVIOUS_HOSTS = 'type.googleapis.com/envoy.extensions.retry.host.previous_hosts.v3.PreviousHostsPredicate';

/** The default retry policy (BEHAVIOUR 5, "Routes"). */
export function buildDefaultRetryPolicy(encoder: MessageEncoder): RetryPolicy {
  return {
    retryOn: 'connect-failure,refused-stream,unavailable,cancelled,retriable-status-codes',
    numRetries: { value: 2 },
    retriableStatusCodes: [503],
    retryHostPredicate: [
      { name: 'envoy.retry_host_predicates.previous_hosts', typedConfig: encoder.packAny(PREVIOUS_HOSTS, {}) },
    ],
    hostSelectionRetryMaxAttempts: 5,
  };
}

/**
 * Sends every request to a service port.
 *
 * @param timeoutMs for the whole request, 0 for none (MESH_DEFAULT_REQUEST_TIMEOUT); also the most that a
 *   caller's `grpc-timeout` may ask for. Streams have no limit of their own.
 */
export function buildDefaultRoute(service: Service, port: Port, retryPolicy: RetryPolicy, timeoutMs: number): Route {
  return {
    name: 'default',
    match: { prefix: '/' },
    route: {
      cluster: outboundClusterName(port.number, '', service.hostname),
      timeout: duration(timeoutMs),
      maxStreamDuration: { maxStreamDuration: duration(0), grpcTimeoutHeaderMax: duration(timeoutMs) },
      retryPolicy,
    },
    decorator: { operation: `${service.hostname}:${port.number}/*` },
  };
}
