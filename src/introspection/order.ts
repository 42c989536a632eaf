import type { ProxyConnection } from '../model/proxy-connection.js';

/** Code unit order: the same everywhere, whatever the locale. */
export function compareText(first: string, second: string): number {
  return first < second ? -1 : first > second ? 1 : 0;
}

/** By node id, then by connection id. */
export function sortConnections(connections: readonly ProxyConnection[]): readonly ProxyConnection[] {
  return connections.toSorted(
    (first, second) => compareText(first.proxy.id, second.proxy.id) || compareText(first.id, second.id),
  );
}

/** The same map with its keys in order, as an object for JSON. */
export function sortKeys(map: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(map).sort(([first], [second]) => compareText(first, second)));
}
