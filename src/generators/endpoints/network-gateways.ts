import { isIpAddress } from '../../base/ip-address.js';
import type { NetworkGateway } from '../../config/mesh/mesh-networks.js';
import type { Endpoint } from '../../model/endpoint.js';
import { memoize } from '../../model/memo.js';
import type { PushContext } from '../../model/push-context.js';
import { clusterOfShard } from './visible-endpoints.js';

/** An address through which proxies reach another network. */
export interface Gateway {
  readonly address: string;
  readonly port: number;
  readonly locality: string;
}

/** The gateways of each network that has at least one. */
export interface NetworkGateways {
  readonly byNetwork: ReadonlyMap<string, readonly Gateway[]>;
  /** Equal ids have equal gateways. */
  readonly id: string;
}

/**
 * Resolves the gateways of the mesh networks (docs/reference/mesh-config.md#mesh-networks), once per snapshot. A
 * gateway that is a service has its external addresses, or without any those of its workloads.
 */
export function createGatewayLookup(): (context: PushContext) => NetworkGateways {
  return memoize(resolveGateways);
}

function resolveGateways(context: PushContext): NetworkGateways {
  const byNetwork = new Map<string, readonly Gateway[]>();
  for (const [network, { gateways }] of context.networks.networks) {
    const byAddress = new Map<string, Gateway>();
    for (const gateway of gateways.flatMap((declared) => resolveGateway(context, network, declared))) {
      // Endpoints of EDS have IP addresses: Envoy would reject the whole update for one name.
      if (isIpAddress(gateway.address)) byAddress.set(`${gateway.address} ${gateway.port}`, gateway);
    }
    const found = [...byAddress].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, gateway]) => gateway);
    if (found.length > 0) byNetwork.set(network, found);
  }
  return { byNetwork, id: byNetwork.size === 0 ? '' : JSON.stringify([...byNetwork].sort()) };
}

function resolveGateway(context: PushContext, network: string, declared: NetworkGateway): readonly Gateway[] {
  const { target, port, locality } = declared;
  if ('address' in target) return [{ address: target.address, port, locality }];
  const service = context.servicesByHost.get(target.registryServiceName);
  const servicePort = service?.ports.find(({ number }) => number === port);
  const shards = context.endpoints.get(target.registryServiceName)?.shards ?? new Map<string, readonly Endpoint[]>();
  return [...shards].flatMap(([shard, all]) => {
    const serving = all.filter(
      ({ health, portName, network: own }) =>
        health === 'healthy' &&
        (servicePort === undefined || portName === servicePort.name) &&
        // Gateways of several networks may have the same service name.
        (own === '' || own === network),
    );
    const external = service?.byCluster?.get(clusterOfShard(shard))?.externalAddresses ?? [];
    if (serving.length > 0 && external.length > 0) {
      const where = locality === '' ? (serving[0]?.locality ?? '') : locality;
      return external.map((address) => ({ address, port, locality: where }));
    }
    return serving.map((endpoint) => ({
      address: endpoint.address,
      port: servicePort === undefined ? port : endpoint.port,
      locality: locality === '' ? endpoint.locality : locality,
    }));
  });
}
