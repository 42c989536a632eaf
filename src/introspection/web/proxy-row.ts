import type { ProxyConnection } from '../../model/proxy-connection.js';
import { mapInTurns } from '../in-turns.js';
import { compareConnections } from '../order.js';
import { type ProxyState, proxyState, URGENCY } from '../proxy-state.js';

export interface ProxyRow {
  readonly connection: ProxyConnection;
  readonly state: ProxyState;
}

const PROXIES_AT_ONCE = 1000;

/** @param configVersion of the newest snapshot */
export function proxyRows(
  connections: readonly ProxyConnection[],
  configVersion: string,
): Promise<readonly ProxyRow[]> {
  return mapInTurns(connections, PROXIES_AT_ONCE, (connection) => ({
    connection,
    state: proxyState(connection, configVersion),
  }));
}

/** Proxies that reject come first, then those that wait; those of one state by name. */
export function compareUrgency(first: ProxyRow, second: ProxyRow): number {
  return (
    URGENCY[first.state.type] - URGENCY[second.state.type] || compareConnections(first.connection, second.connection)
  );
}
