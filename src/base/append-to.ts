/** A map of lists, weak or not. */
interface ListsByKey<Key, Item> {
  get(key: Key): Item[] | undefined;
  set(key: Key, items: Item[]): unknown;
}

/** Adds an item to the list of a key, in the order of the calls. */
export function appendTo<Key, Item>(lists: ListsByKey<Key, Item>, key: Key, item: Item): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [item]);
  else list.push(item);
}
