/**
 * A sorted array without some items and with others; the same array when nothing changes. Costs one copy, and few
 * comparisons for few changes.
 */
export function replaceSorted<Item>(
  sorted: readonly Item[],
  removed: ReadonlySet<Item>,
  added: readonly Item[],
  compare: (first: Item, second: Item) => number,
): readonly Item[] {
  if (removed.size === 0 && added.length === 0) return sorted;
  const kept = removed.size === 0 ? sorted : sorted.filter((item) => !removed.has(item));
  if (added.length === 0) return kept;
  const result: Item[] = [];
  let from = 0;
  for (const item of added.toSorted(compare)) {
    const to = upperBound(kept, item, from, compare);
    for (let index = from; index < to; index++) result.push(kept[index] as Item);
    result.push(item);
    from = to;
  }
  for (let index = from; index < kept.length; index++) result.push(kept[index] as Item);
  return result;
}

function upperBound<Item>(
  sorted: readonly Item[],
  item: Item,
  start: number,
  compare: (first: Item, second: Item) => number,
): number {
  let [low, high] = [start, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compare(sorted[middle] as Item, item) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
