import { duration } from '../../envoy/durations.js';
import type { MessageEncoder } from '../../envoy/message-encoder.js';
import type { Cluster } from '../../generated/envoy/config/cluster/v3/Cluster.js';
import type { HttpProtocolOptions } from '../../generated/envoy/extensions/upstreams/http/v3/HttpProtocolOptions.js';

/** The version of HTTP of calls to a policy server, as TLS names it: HTTP/2 for gRPC. */
export type CheckHttpVersion = 'h2' | 'http/1.1';

/** Fields to spread into the cluster of a policy server. */
export interface PolicyProtocols {
  of(version: CheckHttpVersion): Pick<Cluster, 'typedExtensionProtocolOptions' | 'circuitBreakers'>;
}

/** The proxy notices a connection without its other end after at most the sum of both. */
const KEEPALIVE_INTERVAL_MS = 10_000;
const KEEPALIVE_TIMEOUT_MS = 5000;
/**
 * A connection has one check at a time. The proxy closes idle ones well before the policy server does, so that no check
 * meets a connection that is being closed.
 */
const IDLE_TIMEOUT_MS = 60_000;
/**
 * Checks at the same time, and checks that wait for a connection. The fail policy decides about others at once: what a
 * busy server gets to later than this is too late for most requests, and a connection for each would keep it busier.
 */
const MAX_CONNECTIONS = 512;
const MAX_WAITING_CHECKS = 1024;

const EXTENSION = 'envoy.extensions.upstreams.http.v3.HttpProtocolOptions';

export function createPolicyProtocols(encoder: MessageEncoder): PolicyProtocols {
  const pack = (options: HttpProtocolOptions) => ({
    typedExtensionProtocolOptions: { [EXTENSION]: encoder.packAny(`type.googleapis.com/${EXTENSION}`, options) },
  });
  const http2 = pack({
    explicitHttpConfig: {
      http2ProtocolOptions: {
        connectionKeepalive: { interval: duration(KEEPALIVE_INTERVAL_MS), timeout: duration(KEEPALIVE_TIMEOUT_MS) },
      },
    },
  });
  const http1 = {
    ...pack({
      commonHttpProtocolOptions: { idleTimeout: duration(IDLE_TIMEOUT_MS) },
      explicitHttpConfig: { httpProtocolOptions: {} },
    }),
    circuitBreakers: {
      thresholds: [
        {
          maxConnections: { value: MAX_CONNECTIONS },
          maxPendingRequests: { value: MAX_WAITING_CHECKS },
          maxRequests: { value: MAX_CONNECTIONS + MAX_WAITING_CHECKS },
          maxRetries: { value: MAX_CONNECTIONS },
        },
      ],
    },
  };
  return { of: (version) => (version === 'h2' ? http2 : http1) };
}
