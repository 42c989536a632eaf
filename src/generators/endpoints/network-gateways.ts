import ipaddr from 'ipaddr.js';
import type { NetworkGateway } from '../../config/mesh/mesh-networks.js';
import type { PushContext } from '../../model/push-context.js';

/** Where another network is entered. */
export interface Gateway {
  readonly address: string;
  readonly port: number;
  readonly locality: string;
}

/** The gateways of every network that has some. */
export interface NetworkGateways {
  readonly byNetwork: ReadonlyMap<string, readonly Gateway[]>;
  /** Equal ids have equal gateways. */
  readonly id: string;
}

/** Resolves the gateways of the mesh networks (BEHAVIOUR 8), once per snapshot. */
export function createGatewayLookup(): (context: PushContext) => NetworkGateways {
  const known = new WeakMap<PushContext, NetworkGateways>();
  return (context) => {
    let gateways = known.get(context);
    if (gateways === undefined) {
      gateways = resolveGateways(context);
      known.set(context, gateways);
    }
    return gateways;
  };
}

function resolveGateways(context: PushContext): NetworkGateways {
  const byNetwork = new Map<string, readonly Gateway[]>();
  for (const [network, { gateways }] of context.networks.networks) {
    const byAddress = new Map<string, Gateway>();
    for (const gateway of gateways.flatMap((declared) => resolveGateway(context, declared))) {
      // Endpoints from us are IP addresses: Envoy would refuse the whole update for one name.
      if (isIpAddress(gateway.address)) byAddress.set(`${gateway.address} ${gateway.port}`, gateway);
    }
    const found = [...byAddress].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, gateway]) => gateway);
    if (found.length > 0) byNetwork.set(network, found);
  }
  return { byNetwork, id: byNetwork.size === 0 ? '' : JSON.stringify([...byNetwork].sort()) };
}

function resolveGateway(context: PushContext, { target, port, locality }: NetworkGateway): readonly Gateway[] {
  if ('address' in target) return [{ address: target.address, port, locality }];
  const service = context.servicesByHost.get(target.registryServiceName);
  const servicePort = service?.ports.find(({ number }) => number === port);
  const endpoints = [...(context.endpoints.get(target.registryServiceName)?.shards.values() ?? [])].flat();
  return endpoints
    .filter(
      ({ health, portName }) => health === 'healthy' && (servicePort === undefined || portName === servicePort.name),
    )
    .map((endpoint) => ({
      address: endpoint.address,
      port: servicePort === undefined ? port : endpoint.port,
      locality: locality === '' ? endpoint.locality : locality,
    }));
}

function isIpAddress(address: string): boolean {
  return ipaddr.IPv4.isValidFourPartDecimal(address) || ipaddr.IPv6.isValid(address);
}
