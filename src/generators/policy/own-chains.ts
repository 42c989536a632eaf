import { inboundClusterName } from '../../envoy/names.js';
import { memoize } from '../../model/memo.js';
import type { ServiceTarget } from '../../model/proxy.js';

/** The workload's own services, by the inbound cluster that their chain leads to. */
export interface OwnChains {
  readonly byCluster: ReadonlyMap<string, ServiceTarget>;
  /** Names all that is read of them. */
  readonly key: string;
}

/** Remembered for as long as the targets are the same; replicas of a workload share them. */
export function createOwnChains(): (targets: readonly ServiceTarget[]) => OwnChains {
  return memoize(ownChains);
}

function ownChains(targets: readonly ServiceTarget[]): OwnChains {
  const byCluster = new Map<string, ServiceTarget>();
  const facts: unknown[] = [];
  for (const target of targets) {
    const { service, port, targetPort } = target;
    const cluster = inboundClusterName(port.number, port.name, service.hostname);
    if (byCluster.has(cluster)) continue;
    byCluster.set(cluster, target);
    facts.push([cluster, targetPort, service.namespace, service.name, service.failPolicy]);
  }
  return { byCluster, key: JSON.stringify(facts) };
}
