import type { Service } from '../../../model/service.js';
import { compareServices } from '../../../model/service-order.js';
import type { Analyzer } from '../analysis-input.js';
import { createMessage } from '../analysis-message.js';

/** Services of one cluster with the same cluster IP: connections to it reach the oldest alone. */
export const findSharedClusterIps: Analyzer = ({ services }) => {
  const owners = new Map<string, Service>();
  const candidates = services.filter(({ registry, headless }) => registry === 'Orchestrator' && !headless);
  return candidates.toSorted(compareServices).flatMap((service) =>
    addressesByCluster(service).flatMap(([cluster, address]) => {
      const place = `${cluster} ${address}`;
      const owner = owners.get(place);
      if (owner === undefined) {
        owners.set(place, service);
        return [];
      }
      if (!owner.ports.some(({ number }) => service.ports.some((port) => port.number === number))) return [];
      const text = `${address} is the cluster IP of ${owner.hostname} as well, which is served there on the ports that both have`;
      return createMessage('sharedClusterIp', { object: service.source, field: 'spec.clusterIP' }, text);
    }),
  );
};

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
