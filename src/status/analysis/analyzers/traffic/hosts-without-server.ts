import { MESH_GATEWAY, resolveGatewayName, resolveHost } from '../../../../config/networking/host-names.js';
import { keyOf, type MeshObject } from '../../../../config/object.js';
import { commonHosts } from '../../../../model/traffic/virtual-services/gateway-routes.js';
import { createMessage } from '../../analysis-message.js';
import type { ObjectAnalyzer } from '../../object-analyzer.js';
import type { TrafficIndex } from '../../traffic/traffic-index.js';
import type { GatewayPart, VirtualServicePart } from '../../traffic/traffic-specs.js';

/**
 * Hosts of a VirtualService that no server of its Gateways has, and Gateways that have none of its hosts: no request
 * reaches these routes. `missing-destinations` tells Gateways that do not exist.
 */
export const hostsWithoutServer: ObjectAnalyzer = {
  kinds: ['VirtualService'],
  find: (object, index) => {
    const { hosts = [], gateways = [] } = object.body as VirtualServicePart;
    const { namespace } = object.metadata;
    const names = gateways.map((name) => resolveGatewayName(name, namespace));
    if (hosts.length === 0 || names.every((name) => name === MESH_GATEWAY)) return [];
    const served = new Map<string, ReadonlySet<number>>();
    for (const name of names) {
      const found = name === MESH_GATEWAY ? undefined : servedHosts(object, name, index);
      if (found !== undefined) served.set(name, found);
    }
    const where = (field: string) => ({ object: keyOf(object), field });
    const isWhole = names.every((name) => served.has(name));
    const lost = hosts.flatMap((host, at) => {
      if (!isWhole || [...served.values()].some((found) => found.has(at))) return [];
      const text = `no server of ${[...served.keys()].join(' or ')} has ${host} for namespace ${namespace}`;
      return [createMessage('hostWithoutServer', where(`spec.hosts[${at}]`), text)];
    });
    if (lost.length === hosts.length) return lost;
    const idle = names.flatMap((name, at) => {
      if (served.get(name)?.size !== 0) return [];
      const text = `no server of ${name} has a host of this VirtualService for namespace ${namespace}`;
      return [createMessage('hostWithoutServer', where(`spec.gateways[${at}]`), text)];
    });
    return [...lost, ...idle];
  },
};

/** Places of the hosts that a server of the Gateway has; undefined for an unknown Gateway. */
function servedHosts(object: MeshObject, gateway: string, index: TrafficIndex): ReadonlySet<number> | undefined {
  const [gatewayNamespace = '', name = ''] = gateway.split('/');
  const found = index.find('Gateway', gatewayNamespace, name);
  if (found === undefined) return undefined;
  const { servers = [] } = found.body as GatewayPart;
  const { namespace } = object.metadata;
  const { hosts = [] } = object.body as VirtualServicePart;
  const isServed = (host: string): boolean =>
    servers.some(
      (server) => commonHosts({ hosts: [host], namespace }, { gateway, hosts: server.hosts ?? [] }).length > 0,
    );
  return new Set(hosts.flatMap((host, at) => (isServed(resolveHost(host, namespace, index.domain)) ? [at] : [])));
}
