import type { ClusterPolicy, HashKey } from './cluster-policy.js';
import type { ConnectionAction } from './connection-route.js';
import type { RetryPolicy } from './http-action.js';
import { EVERY_REQUEST } from './http-match.js';
import type { HttpRoute, VirtualHost } from './http-route.js';
import type { ServiceCluster } from './mesh-traffic.js';

/** Retries of requests without a routing object. */
const DEFAULT_RETRIES: RetryPolicy = {
  conditions: ['connect-failure', 'refused-stream', 'unavailable', 'cancelled', 'retriable-status-codes'],
  attempts: 2,
  statusCodes: [503],
  otherHostAttempts: 5,
};

/**
 * The virtual host of a service port without a routing object: one route, to all endpoints.
 *
 * @param timeoutMs for a whole request, 0 for none (MESH_DEFAULT_REQUEST_TIMEOUT)
 */
export function serviceVirtualHost({ destination, policy }: ServiceCluster, timeoutMs: number): VirtualHost {
  const name = `${destination.hostname}:${destination.port}`;
  const hashKey = hashKeyOf(policy);
  const route: HttpRoute = {
    name: 'default',
    match: EVERY_REQUEST,
    action: {
      type: 'forward',
      destinations: [{ ...destination, weight: 1 }],
      timeoutMs,
      retries: DEFAULT_RETRIES,
      ...(hashKey === undefined ? {} : { hashKey }),
    },
    operation: `${name}/*`,
  };
  return { name, routes: [route] };
}

/** What a proxy does with connections to a service port without a routing object: all endpoints share them. */
export function serviceConnections({ destination, policy }: ServiceCluster): ConnectionAction {
  const hashesSourceAddress = hashKeyOf(policy)?.type === 'sourceAddress';
  return { type: 'forward', destinations: [{ ...destination, weight: 1 }], hashesSourceAddress };
}

function hashKeyOf({ loadBalancer }: ClusterPolicy): HashKey | undefined {
  return loadBalancer.type === 'consistentHash' ? loadBalancer.key : undefined;
}
