import type { Proxy } from '../../model/proxy.js';
import type { ProxyConnection, WatchSnapshot } from '../../model/proxy-connection.js';

/** One proxy or policy server with its subscriptions over all its streams. */
export interface ConnectedClient {
  readonly proxy: Proxy;
  readonly isPolicyServer: boolean;
  /** Whether it subscribes to rules. Policy servers of earlier versions do not. */
  readonly readsRules: boolean;
  readonly watches: readonly WatchSnapshot[];
}

const ENVOY_TYPE = 'type.googleapis.com/envoy.';
const RULE_OBJECT = 'type.googleapis.com/mesh.policy.v1.RuleObject';

/** The connected proxies and policy servers, each once, without those that have no subscription. */
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
    // A policy server subscribes only to types of mesh.policy.v1.
    readsRules: watches.some(({ typeUrl }) => typeUrl === RULE_OBJECT),
    isPolicyServer: watches.every(({ typeUrl }) => !typeUrl.startsWith(ENVOY_TYPE)),
  }));
}

/**
 * Whether a policy server of this namespace reports (metadata QUOTA_COUNTERS) that it counts quotas in its own memory.
 */
export function hasMemoryCounters(connections: readonly ProxyConnection[], namespace: string): boolean {
  return connectedClients(connections).some(
    ({ isPolicyServer, proxy: { configNamespace, metadata } }) =>
      isPolicyServer && configNamespace === namespace && metadata.quotaCounters === 'memory',
  );
}
