import { coversHost } from '../../config/networking/host-names.js';
import type { GatewayServer, ServerHost } from './gateway-server.js';

type ServerHosts = Pick<GatewayServer, 'hosts'>;

/**
 * Whether a Gateway of another namespace than the router's may route a host: the narrowest host of the operator's servers
 * that covers it is not limited to other namespaces.
 *
 * @param operators servers of Gateways of the router's namespace and of the root namespace
 * @param namespace of the other Gateway
 */
export function mayShareHost(operators: readonly ServerHosts[], host: string, namespace: string): boolean {
  const covering = hostsCovering(operators, host);
  const longest = covering.reduce((length, each) => Math.max(length, each.host.length), 0);
  const narrowest = covering.filter((each) => each.host.length === longest);
  return narrowest.length === 0 || narrowest.some((each) => each.namespace === '*' || each.namespace === namespace);
}

/** Whether the operator's servers take a host. */
export function isServedBy(operators: readonly ServerHosts[], host: string): boolean {
  return hostsCovering(operators, host).length > 0;
}

function hostsCovering(servers: readonly ServerHosts[], host: string): readonly ServerHost[] {
  return servers.flatMap(({ hosts }) => hosts.filter((each) => coversHost(each.host, host)));
}
