import { createMemo } from '../memo.js';
import type { Port } from '../service.js';
import type { ClusterPolicy, HashKey } from './cluster-policy.js';
import type { ConnectionAction } from './connection-route.js';
import type { RetryPolicy } from './http-action.js';
import { EVERY_REQUEST } from './http-match.js';
import type { HttpRoute, VirtualHost } from './http-route.js';
import { clusterOfPort, type ServiceCluster } from './mesh-traffic.js';

/** The routes to services as one group of proxies sees them. Each result is the same object while its inputs are. */
export interface ServiceRoutes {
  /** Equal ids have equal routes within one snapshot; empty while no object configures routes. */
  readonly id: string;
  /**
   * @param clusters of the service
   * @param timeoutMs of requests without a timeout of their own, 0 for none (MESH_DEFAULT_REQUEST_TIMEOUT)
   */
  virtualHostOf(clusters: readonly ServiceCluster[], port: Port, timeoutMs: number): VirtualHost;
  connectionsOf(clusters: readonly ServiceCluster[], port: Port): ConnectionAction;
}

/** The routes of services that no object configures. */
export function createDefaultRoutes(): ServiceRoutes {
  const hosts = createMemo<VirtualHost>();
  const connections = createMemo<ConnectionAction>();
  return {
    id: '',
    virtualHostOf: (clusters, { number }, timeoutMs) =>
      hosts.of([clusters], `${number}|${timeoutMs}`, () =>
        serviceVirtualHost(clusterOfPort(clusters, number), timeoutMs),
      ),
    connectionsOf: (clusters, { number }) =>
      connections.of([clusters], String(number), () => serviceConnections(clusterOfPort(clusters, number))),
  };
}

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
function serviceVirtualHost({ destination, policy }: ServiceCluster, timeoutMs: number): VirtualHost {
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
function serviceConnections({ destination, policy }: ServiceCluster): ConnectionAction {
  const hashesSourceAddress = hashKeyOf(policy)?.type === 'sourceAddress';
  return { type: 'forward', destinations: [{ ...destination, weight: 1 }], hashesSourceAddress };
}

function hashKeyOf({ loadBalancer }: ClusterPolicy): HashKey | undefined {
  return loadBalancer.type === 'consistentHash' ? loadBalancer.key : undefined;
}
