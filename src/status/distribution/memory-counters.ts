import type { ProxyConnection } from '../../model/proxy-connection.js';
import { connectedClients } from './connected-clients.js';

/** Whether a policy server of this namespace says that it counts quotas in its own memory (metadata QUOTA_COUNTERS). */
export function hasMemoryCounters(connections: readonly ProxyConnection[], namespace: string): boolean {
  return connectedClients(connections).some(
    ({ isPolicyServer, proxy: { configNamespace, metadata } }) =>
      isPolicyServer && configNamespace === namespace && metadata.quotaCounters === 'memory',
  );
}
