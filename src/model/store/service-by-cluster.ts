import type { ServiceClaim } from '../registry/service-claim.js';
import type { ServiceInCluster } from '../service.js';
import { compareText } from '../service-order.js';

/**
 * What the claims of several clusters on one host say of each cluster.
 *
 * @returns undefined where only the own cluster has the service, and nothing leads to it from outside
 */
export function serviceByCluster(
  claims: readonly ServiceClaim[],
  ownCluster: string,
): ReadonlyMap<string, ServiceInCluster> | undefined {
  const byCluster = new Map<string, ServiceInCluster>();
  let isNews = false;
  for (const { service, cluster, externalAddresses = [] } of claims) {
    if (service.registry !== 'Orchestrator' || byCluster.has(cluster)) continue;
    byCluster.set(cluster, { addresses: service.addresses, externalAddresses });
    isNews ||= cluster !== ownCluster || externalAddresses.length > 0;
  }
  // In one order, whatever the claims' is: which of them is older may change, and then nothing else has.
  return isNews ? new Map([...byCluster].sort(([first], [second]) => compareText(first, second))) : undefined;
}
