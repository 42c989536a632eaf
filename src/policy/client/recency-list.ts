/** An item's place in a RecencyList. */
export interface RecencyLink<T> {
  readonly item: T;
  older: RecencyLink<T> | undefined;
  newer: RecencyLink<T> | undefined;
}

/** Items by when they were used last. Every operation takes the same short time, however many there are. */
export interface RecencyList<T> {
  /** Adds an item as the one used last. */
  add(item: T): RecencyLink<T>;
  /** Makes it the one used last. */
  touch(link: RecencyLink<T>): void;
  remove(link: RecencyLink<T>): void;
  oldest(): RecencyLink<T> | undefined;
}

/**
 * A linked list: putting a used entry into a Map anew costs more, for a Map keeps the places of what was deleted until
 * it is rebuilt.
 */
export function createRecencyList<T>(): RecencyList<T> {
  let oldest: RecencyLink<T> | undefined;
  let newest: RecencyLink<T> | undefined;
  const append = (link: RecencyLink<T>): void => {
    link.older = newest;
    link.newer = undefined;
    if (newest === undefined) oldest = link;
    else newest.newer = link;
    newest = link;
  };
  const remove = ({ older, newer }: RecencyLink<T>): void => {
    if (older === undefined) oldest = newer;
    else older.newer = newer;
    if (newer === undefined) newest = older;
    else newer.older = older;
  };
  return {
    add: (item) => {
      const link: RecencyLink<T> = { item, older: undefined, newer: undefined };
      append(link);
      return link;
    },
    touch: (link) => {
      if (link === newest) return;
      remove(link);
      append(link);
    },
    remove,
    oldest: () => oldest,
  };
}
