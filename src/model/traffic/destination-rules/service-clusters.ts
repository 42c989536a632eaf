import type { MeshConfig } from '../../../config/mesh/mesh-config.js';
import type { SubsetSpec } from '../../../config/networking/destination-rule.js';
import type { Port, Service } from '../../service.js';
import type { ClusterPolicy } from '../cluster-policy.js';
import { destinationOf } from '../destination.js';
import type { ServiceCluster } from '../mesh-traffic.js';
import type { EffectiveRule } from './effective-rule.js';
import { partsOfPort, partsOfSubset, translatePolicy } from './rule-policy.js';

/** Clusters that subsets add to one service, over all of its ports. Further subsets have none. */
export const MAX_SUBSET_CLUSTERS = 2048;

/** Number of subsets of which a service can have clusters. */
export function mostSubsets({ ports }: Pick<Service, 'ports'>): number {
  return Math.floor(MAX_SUBSET_CLUSTERS / Math.max(1, ports.length));
}

/** The subsets of a rule that a service has clusters for; all of them, unless they are too many for its ports. */
function servedSubsets({ subsets }: Pick<EffectiveRule, 'subsets'>, service: Service): readonly SubsetSpec[] {
  const most = mostSubsets(service);
  return subsets.length <= most ? subsets : subsets.slice(0, most);
}

/**
 * The clusters of a service with a rule: for each port first that of all endpoints, then one for each subset.
 *
 * @param defaultOf the policy of a port without a rule
 */
export function clustersWithRule(
  mesh: MeshConfig,
  service: Service,
  rule: EffectiveRule,
  defaultOf: (service: Service, port: Port) => ClusterPolicy,
): readonly ServiceCluster[] {
  const subsets = servedSubsets(rule, service);
  return service.ports
    .filter(({ protocol }) => protocol !== 'udp')
    .flatMap((port) => {
      const input = { mesh, service, port, defaults: defaultOf(service, port) };
      const parts = partsOfPort(rule.policy, port.number);
      const destination = destinationOf(service, port.number);
      const whole: ServiceCluster = { port, destination, policy: translatePolicy(parts, input) };
      const named = subsets.map(({ name, labels, trafficPolicy }): ServiceCluster => {
        const own = partsOfSubset(parts, trafficPolicy, port.number);
        const policy = own === parts ? whole.policy : translatePolicy(own, input);
        return { port, destination: { ...destination, subset: { name, labels } }, policy };
      });
      return [whole, ...named];
    });
}
