import type { PushContext } from '../../model/push-context.js';
import type { Service } from '../../model/service.js';
import { compareServices } from '../../model/service-order.js';

/** A service whose place another service takes, for some or all of its requests. */
export interface ServiceConflict {
  readonly type: 'cluster IP' | 'host';
  /** The one that loses. */
  readonly service: Service;
  /** What it loses to which, as a sentence without its end. */
  readonly text: string;
}

type Context = Pick<PushContext, 'services' | 'servicesByHost' | 'shadowedByHost' | 'findings'>;

/** The conflicts among the services of a snapshot. Those over listeners depend on the proxy, and are found there. */
export function serviceConflictsOf(context: Context): readonly ServiceConflict[] {
  return [...sharedClusterIps(context), ...duplicateHosts(context)];
}

/** Services of one cluster with the same cluster IP: connections to it reach the oldest alone. */
function sharedClusterIps({ services }: Context): readonly ServiceConflict[] {
  const owners = new Map<string, Service>();
  const candidates = services.filter(({ registry, headless }) => registry === 'Orchestrator' && !headless);
  return candidates.toSorted(compareServices).flatMap((service) =>
    addressesByCluster(service).flatMap(([cluster, address]): readonly ServiceConflict[] => {
      const place = `${cluster} ${address}`;
      const owner = owners.get(place);
      if (owner === undefined) {
        owners.set(place, service);
        return [];
      }
      if (!owner.ports.some(({ number }) => service.ports.some((port) => port.number === number))) return [];
      const text = `${address} is the cluster IP of ${owner.hostname} as well, which is served there on the ports that both have`;
      return [{ type: 'cluster IP', service, text }];
    }),
  );
}

/** Clusters give one address to different Services without a conflict. */
function addressesByCluster({
  addresses,
  byCluster,
}: Service): readonly (readonly [cluster: string, address: string])[] {
  if (byCluster === undefined) return addresses.map((address) => ['', address] as const);
  return [...byCluster].flatMap(([cluster, { addresses: there }]) =>
    there.map((address) => [cluster, address] as const),
  );
}

/** Services of hosts that other namespaces claim too, where one namespace sees several of them. */
function duplicateHosts({ findings, servicesByHost, shadowedByHost }: Context): readonly ServiceConflict[] {
  return findings.flatMap(({ metric, key: hostname }): readonly ServiceConflict[] => {
    const winner = metric === 'nav_duplicate_proxy_clusters' ? servicesByHost.get(hostname) : undefined;
    if (winner === undefined) return [];
    const text = `host ${hostname} is that of ${winner.source} as well; each namespace is served its own service of the host, else the oldest`;
    return (shadowedByHost.get(hostname) ?? []).map((service) => ({ type: 'host', service, text }));
  });
}
