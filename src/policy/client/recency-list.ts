/** An item's place in a RecencyList. */
export interface RecencyLink<T> {
  readonly item: T;
  older: RecencyLink<T> | undefined;
  newer: RecencyLink<T> | undefined;
}

/** Items ordered by their last use. Every operation takes constant time. */
export interface RecencyList<T> {
  /** Adds an item as the one used last. */
  add(item: T): RecencyLink<T>;
  /** Makes it the one used last. */
  touch(link: RecencyLink<T>): void;
  remove(link: RecencyLink<T>): void;
  oldest(): RecencyLink<T> | undefined;
}

/**
 * A linked list. Moving an entry to the end of a Map costs more, because a Map keeps deleted places until it is
 * rebuilt.
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
