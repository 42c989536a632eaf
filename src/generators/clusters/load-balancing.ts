import type { Cluster } from '../../generated/envoy/config/cluster/v3/Cluster.js';
import type { ClusterPolicy, LoadBalancer } from '../../model/traffic/cluster-policy.js';

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
