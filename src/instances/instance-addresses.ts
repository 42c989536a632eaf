import type { PushContext } from '../model/push-context.js';

type Mesh = Pick<PushContext, 'domain' | 'endpoints' | 'servicesByHost' | 'mesh'>;

/**
 * The addresses of all instances, as `host:port`: the endpoints of the Service to which proxies connect
 * (`defaultConfig.discoveryAddress` of the mesh config, with the secured port). Sorted, each once, this instance too.
 */
export function instanceAddresses({ domain, endpoints, servicesByHost, mesh }: Mesh): readonly string[] {
  const [, host = '', port] = /^(.*):(\d+)$/.exec(mesh.defaultConfig.discoveryAddress) ?? [];
  const hostname = [host, `${host}.${domain}`].find((each) => servicesByHost.has(each)) ?? '';
  const named = servicesByHost.get(hostname)?.ports.find(({ number }) => number === Number(port));
  if (named === undefined) return [];
  const addresses = new Set<string>();
  for (const shard of endpoints.get(hostname)?.shards.values() ?? []) {
    for (const { address, port: own, portName, health } of shard) {
      if (portName === named.name && health !== 'unhealthy')
        addresses.add(address.includes(':') ? `[${address}]:${own}` : `${address}:${own}`);
    }
  }
  return [...addresses].sort();
}
