import type { ConnectedPolicyServer } from '../../instances/policy-servers.js';
import type { ProxyConnection } from '../../model/proxy-connection.js';

/** The separate policy servers among the connections: those that report how they count (metadata QUOTA_COUNTERS). */
export function connectedPolicyServers(connections: readonly ProxyConnection[]): readonly ConnectedPolicyServer[] {
  return connections.flatMap(({ proxy: { id, metadata } }) => {
    if (metadata.quotaCounters === undefined) return [];
    const [, address = '', name = ''] = id.split('~');
    return [{ id, name: `${name} at ${address}` }];
  });
}
