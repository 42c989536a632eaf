import type { Proxy } from '../../model/proxy.js';
import type { ProxyConnection, WatchSnapshot } from '../../model/proxy-connection.js';

/** One proxy or policy server with everything that it subscribes to, over however many streams. */
export interface ConnectedClient {
  readonly proxy: Proxy;
  readonly isPolicyServer: boolean;
  readonly watches: readonly WatchSnapshot[];
}

const ENVOY_TYPE = 'type.googleapis.com/envoy.';

/** Who is connected, each once. Whoever subscribes to nothing is left out. */
export function connectedClients(connections: readonly ProxyConnection[]): readonly ConnectedClient[] {
  const byId = new Map<string, { proxy: Proxy; watches: WatchSnapshot[] }>();
  for (const { proxy, watches } of connections) {
    if (watches.size === 0) continue;
    const client = byId.get(proxy.id);
    if (client === undefined) byId.set(proxy.id, { proxy, watches: [...watches.values()] });
    else client.watches.push(...watches.values());
  }
  return [...byId.values()].map(({ proxy, watches }) => ({
    proxy,
    watches,
    // A policy server takes configurations of the policy client alone (mesh.policy.v1).
    isPolicyServer: watches.every(({ typeUrl }) => !typeUrl.startsWith(ENVOY_TYPE)),
  }));
}
