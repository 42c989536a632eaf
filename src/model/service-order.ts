import type { Service } from './service.js';

/** Oldest first, then by hostname and namespace: the precedence among services of one rank. */
export function compareServices(first: Service, second: Service): number {
  return (
    compareAge(first.creationTimestamp, second.creationTimestamp) ||
    compareText(first.hostname, second.hostname) ||
    compareText(first.namespace, second.namespace)
  );
}

/**
 * Services of the orchestrator first, however old a ServiceEntry is that claims their hosts; then entries of the root
 * namespace, then other entries.
 */
export function compareRanks(first: Service, second: Service): number {
  return rankOf(first) - rankOf(second);
}

/** Sorts items by the precedence of their services in conflicts over hosts, addresses and ports. */
export function inOrderOfRank<Item>(items: readonly Item[], serviceOf: (item: Item) => Service): readonly Item[] {
  const byRank: readonly [Item[], Item[], Item[]] = [[], [], []];
  for (const item of items) byRank[rankOf(serviceOf(item))].push(item);
  return byRank[0].length === items.length ? items : byRank.flat();
}

function rankOf({ registry, isOfRoot }: Service): 0 | 1 | 2 {
  if (registry !== 'External') return 0;
  return isOfRoot === true ? 1 : 2;
}

/** Older first; an unknown age counts as the newest. */
export function compareAge(first: string, second: string): number {
  if (first === second) return 0;
  return compareNumbers(timeOf(first), timeOf(second));
}

/** By UTF-16 code units, independent of the locale. */
export function compareText(first: string, second: string): number {
  if (first === second) return 0;
  return first < second ? -1 : 1;
}

function timeOf(timestamp: string): number {
  const time = Date.parse(timestamp);
  return Number.isNaN(time) ? Number.POSITIVE_INFINITY : time;
}

function compareNumbers(first: number, second: number): number {
  if (first === second) return 0;
  return first < second ? -1 : 1;
}
