type Compare<Item> = (first: Item, second: Item) => number;

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
