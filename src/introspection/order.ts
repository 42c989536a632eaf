import type { ProxyConnection } from '../model/proxy-connection.js';

/** Compares by code units, which does not depend on the locale. */
export function compareText(first: string, second: string): number {
  return first < second ? -1 : first > second ? 1 : 0;
}

/** By node ID, then by connection ID. */
export function compareConnections(first: ProxyConnection, second: ProxyConnection): number {
  return compareText(first.proxy.id, second.proxy.id) || compareText(first.id, second.id);
}

/** Sorts by node ID, then by connection ID. */
export function sortConnections(connections: readonly ProxyConnection[]): readonly ProxyConnection[] {
  return connections.toSorted(compareConnections);
}

/** Sorts the keys of an object, for JSON. */
export function sortKeys(map: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(map).sort(([first], [second]) => compareText(first, second)));
}
