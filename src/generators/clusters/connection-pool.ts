import { duration } from '../../envoy/durations.js';
import type { CircuitBreakers } from '../../generated/envoy/config/cluster/v3/CircuitBreakers.js';
import type { Cluster } from '../../generated/envoy/config/cluster/v3/Cluster.js';
import type { OutlierDetection as EnvoyOutlierDetection } from '../../generated/envoy/config/cluster/v3/OutlierDetection.js';
import type {
  ClusterPolicy,
  ConnectionPool,
  LoadBalancer,
  OutlierDetection,
  TcpKeepalive,
} from '../../model/traffic/cluster-policy.js';

const NO_LIMIT = 0xffff_ffff;

type PoolLimits = Omit<ConnectionPool, 'upgradesToHttp2'>;

/** Limits of connections and requests. An absent limit is the largest number, not Envoy's own 1024. */
export function buildConnectionPool(pool: PoolLimits): Cluster {
  return {
    connectTimeout: duration(pool.connectTimeoutMs),
    circuitBreakers: buildCircuitBreakers(pool),
    ...(pool.keepalive === undefined
      ? {}
      : { upstreamConnectionOptions: { tcpKeepalive: buildKeepalive(pool.keepalive) } }),
  };
}

function buildCircuitBreakers(pool: PoolLimits): CircuitBreakers {
  const {
    maxConnections = NO_LIMIT,
    maxPendingRequests = NO_LIMIT,
    maxRequests = NO_LIMIT,
    maxRetries = NO_LIMIT,
  } = pool;
  return {
    thresholds: [
      {
        maxConnections: { value: maxConnections },
        maxPendingRequests: { value: maxPendingRequests },
        maxRequests: { value: maxRequests },
        maxRetries: { value: maxRetries },
      },
    ],
  };
}

function buildKeepalive({ probes, idleMs, intervalMs }: TcpKeepalive) {
  return {
    ...(probes === undefined ? {} : { keepaliveProbes: { value: probes } }),
    ...(idleMs === undefined ? {} : { keepaliveTime: { value: wholeSeconds(idleMs) } }),
    ...(intervalMs === undefined ? {} : { keepaliveInterval: { value: wholeSeconds(intervalMs) } }),
  };
}

/** At least 1: the operating system refuses 0. */
function wholeSeconds(ms: number): number {
  return Math.max(1, Math.floor(ms / 1000));
}

/** When Envoy ejects endpoints. Only errors in a row count: Envoy's comparison of success rates is off. */
export function buildOutlierDetection({
  consecutive5xxErrors,
  consecutiveGatewayErrors = 0,
  intervalMs,
  baseEjectionMs,
  maxEjectionPercent,
}: OutlierDetection): EnvoyOutlierDetection {
  return {
    enforcingSuccessRate: { value: 0 },
    ...(consecutive5xxErrors === undefined
      ? {}
      : {
          consecutive_5xx: { value: consecutive5xxErrors },
          enforcingConsecutive_5xx: { value: consecutive5xxErrors === 0 ? 0 : 100 },
        }),
    ...(consecutiveGatewayErrors === 0
      ? {}
      : {
          consecutiveGatewayFailure: { value: consecutiveGatewayErrors },
          enforcingConsecutiveGatewayFailure: { value: 100 },
        }),
    ...(intervalMs === undefined ? {} : { interval: duration(intervalMs) }),
    ...(baseEjectionMs === undefined ? {} : { baseEjectionTime: duration(baseEjectionMs) }),
    ...(maxEjectionPercent === undefined ? {} : { maxEjectionPercent: { value: maxEjectionPercent } }),
  };
}

const LB_POLICIES = {
  leastRequest: 'LEAST_REQUEST',
  roundRobin: 'ROUND_ROBIN',
  random: 'RANDOM',
  consistentHash: 'RING_HASH',
  // Only a proxy without an original destination builds it so; sidecars use an ORIGINAL_DST cluster.
  originalDestination: 'LEAST_REQUEST',
} as const satisfies Record<LoadBalancer['type'], Cluster['lbPolicy']>;

/**
 * How Envoy chooses among the endpoints of a cluster that has a list of them. Panic mode is off unless the policy sets
 * its threshold: Envoy never sends a request to an endpoint that it knows to be unhealthy.
 */
export function buildLoadBalancing({ loadBalancer, localities, outliers }: ClusterPolicy): Cluster {
  const minHealthy = outliers?.minHealthyPercent ?? 0;
  return {
    lbPolicy: LB_POLICIES[loadBalancer.type],
    ...(loadBalancer.type === 'consistentHash'
      ? { ringHashLbConfig: { minimumRingSize: { value: loadBalancer.minimumRingSize } } }
      : {}),
    commonLbConfig: {
      healthyPanicThreshold: minHealthy === 0 ? {} : { value: minHealthy },
      ...(localities?.type === 'distribute' ? { localityWeightedLbConfig: {} } : {}),
    },
  };
}
