import type { MeshConfig } from '../../../config/mesh/mesh-config.js';
import type { DestinationRuleSpec, PortPolicySpec } from '../../../config/networking/destination-rule.js';
import type { LocalityLbSetting } from '../../../config/networking/locality-lb-setting.js';
import type { LocalityPolicy } from '../cluster-policy.js';

/**
 * How clients choose among localities. `distribute` works by itself. Failover needs outlier detection: without it a client
 * never learns that the near endpoints fail, so it would not leave them.
 *
 * @param setting of the rule, else of the mesh config
 */
export function localitiesOf(setting: LocalityLbSetting, detectsOutliers: boolean): LocalityPolicy | undefined {
  const { enabled, distribute = [], failover = [] } = setting;
  if (!enabled) return undefined;
  if (distribute.length > 0) return { type: 'distribute', rules: distribute };
  return detectsOutliers ? { type: 'failover', rules: failover } : undefined;
}

/** Whether the mesh config makes endpoints of hosts without a rule depend on the locality of the client. */
export function meshBalancesByLocality({ localityLb }: Pick<MeshConfig, 'localityLb'>): boolean {
  return localitiesOf(localityLb, false) !== undefined;
}

type Parts = Pick<PortPolicySpec, 'loadBalancer' | 'outlierDetection'>;

/** Whether a part of a rule may make endpoints depend on the locality of the client. */
export function ruleBalancesByLocality({ trafficPolicy, subsets = [] }: DestinationRuleSpec): boolean {
  const policies = [trafficPolicy, ...subsets.map((subset) => subset.trafficPolicy)];
  return policies.some(
    (policy) => policy !== undefined && [policy, ...(policy.portLevelSettings ?? [])].some(isByLocality),
  );
}

function isByLocality({ loadBalancer, outlierDetection }: Parts): boolean {
  return outlierDetection !== undefined || (loadBalancer?.localityLbSetting?.distribute ?? []).length > 0;
}
