import { appendTo } from '../../base/append-to.js';
import type { LoadTarget } from './load-assignment.js';
import type { Gateway, NetworkGateways } from './network-gateways.js';

/**
 * Replaces the endpoints that a proxy cannot reach (docs/reference/xds.md#split-horizon). Endpoints on another network
 * become the gateways of that network, which share the sum of the weights of its healthy endpoints. Networks without a
 * gateway, and endpoints or proxies without a network, count as directly reachable.
 */
export function splitHorizon(
  targets: readonly LoadTarget[],
  network: string,
  gateways: NetworkGateways,
): readonly LoadTarget[] {
  if (network === '' || gateways.byNetwork.size === 0) return targets;
  const reachable: LoadTarget[] = [];
  const remote = new Map<string, LoadTarget[]>();
  for (const target of targets) {
    if (target.network === '' || target.network === network || !gateways.byNetwork.has(target.network)) {
      reachable.push(target);
    } else if (target.health === 'healthy') {
      appendTo(remote, target.network, target);
    }
  }
  if (remote.size === 0) return reachable;
  // All weights are multiplied so that every network's sum divides evenly among its gateways.
  const gatewaysOf = (name: string): readonly Gateway[] => gateways.byNetwork.get(name) ?? [];
  const multiple = [...remote.keys()].map((name) => gatewaysOf(name).length).reduce(leastCommonMultiple, 1);
  return [
    ...reachable.map((target) => (multiple === 1 ? target : { ...target, weight: target.weight * multiple })),
    ...[...remote].flatMap(([name, endpoints]) => behindGateways(name, endpoints, gatewaysOf(name), multiple)),
  ];
}

function behindGateways(
  network: string,
  endpoints: readonly LoadTarget[],
  gateways: readonly Gateway[],
  multiple: number,
): readonly LoadTarget[] {
  const total = endpoints.reduce((sum, { weight }) => sum + Math.max(1, weight), 0);
  // A gateway forwards mutual TLS by server name, so all endpoints behind it must take mutual TLS.
  const tlsMode = endpoints.every((endpoint) => endpoint.tlsMode === 'mesh') ? 'mesh' : 'disabled';
  return gateways.map(({ address, port, locality }) => ({
    address,
    port,
    health: 'healthy',
    locality,
    network,
    weight: (total * multiple) / gateways.length,
    tlsMode,
  }));
}

function leastCommonMultiple(first: number, second: number): number {
  let [a, b] = [first, second];
  while (b !== 0) [a, b] = [b, a % b];
  return (first / a) * second;
}
