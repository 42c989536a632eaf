import type { ProxyConnection } from '../model/proxy-connection.js';

/** Compares by code units, which does not depend on the locale. */
export function compareText(first: string, second: string): number {
  return first < second ? -1 : first > second ? 1 : 0;
}

export type Compare<Item> = (first: Item, second: Item) => number;

/**
 * The first items of the sorted list, without sorting the rest of a long list.
 *
 * @param most at most a few hundred
 */
export function firstSorted<Item>(items: Iterable<Item>, most: number, compare: Compare<Item>): readonly Item[] {
  const first: Item[] = [];
  for (const item of items) {
    const last = first.at(-1);
    if (first.length >= most && last !== undefined && compare(item, last) >= 0) continue;
    let [low, high] = [0, first.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compare(first[middle] as Item, item) <= 0) low = middle + 1;
      else high = middle;
    }
    first.splice(low, 0, item);
    if (first.length > most) first.pop();
  }
  return first;
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
