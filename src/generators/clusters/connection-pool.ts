import { duration } from '../../envoy/durations.js';
import type { CircuitBreakers } from '../../generated/envoy/config/cluster/v3/CircuitBreakers.js';
import type { Cluster } from '../../generated/envoy/config/cluster/v3/Cluster.js';
import type { OutlierDetection as EnvoyOutlierDetection } from '../../generated/envoy/config/cluster/v3/OutlierDetection.js';
import type { ConnectionPool, OutlierDetection, TcpKeepalive } from '../../model/traffic/cluster-policy.js';

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
