import type { PushContext } from '../../model/push-context.js';
import type { Service } from '../../model/service.js';
import { compareServices } from '../../model/service-order.js';

/** A service that loses some or all of its requests to another service. */
export interface ServiceConflict {
  readonly type: 'cluster IP' | 'host';
  /** The service that loses requests. */
  readonly service: Service;
  /** The conflict, without the remedy. */
  readonly text: string;
}

type Context = Pick<PushContext, 'services' | 'servicesByHost' | 'shadowedByHost' | 'findings'>;

/** The conflicts among the services of a snapshot. Listener conflicts depend on the proxy; generation finds them. */
export function serviceConflictsOf(context: Context): readonly ServiceConflict[] {
  return [...sharedClusterIps(context), ...duplicateHosts(context)];
}

/** Services of one cluster with the same cluster IP: connections to it reach only the oldest. */
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
      const text = `${address} is also the cluster IP of ${owner.hostname}, which receives the connections to the ports that both have`;
      return [{ type: 'cluster IP', service, text }];
    }),
  );
}

/** The same address in different clusters is no conflict. */
function addressesByCluster({
  addresses,
  byCluster,
}: Service): readonly (readonly [cluster: string, address: string])[] {
  if (byCluster === undefined) return addresses.map((address) => ['', address] as const);
  return [...byCluster].flatMap(([cluster, { addresses: there }]) =>
    there.map((address) => [cluster, address] as const),
  );
}

/** Services whose host an object of another namespace also claims, if one namespace sees both. */
function duplicateHosts({ findings, servicesByHost, shadowedByHost }: Context): readonly ServiceConflict[] {
  return findings.flatMap(({ metric, key: hostname }): readonly ServiceConflict[] => {
    const winner = metric === 'nav_duplicate_proxy_clusters' ? servicesByHost.get(hostname) : undefined;
    if (winner === undefined) return [];
    const text = `${winner.source} has host ${hostname} too; each namespace gets its own service of the host, or else the oldest one`;
    return (shadowedByHost.get(hostname) ?? []).map((service) => ({ type: 'host', service, text }));
  });
}
