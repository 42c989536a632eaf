import { createRecencyList, type RecencyLink } from '../../client/recency-list.js';

/**
 * An item of a SegmentedRecency. The item stores its own place, because there can be one item for each key of a caller.
 */
export interface Segmented<T> {
  isProven: boolean;
  link: RecencyLink<T> | undefined;
}

/** Items ordered by their last use, in two segments: used once, and used again. */
export interface SegmentedRecency<T extends Segmented<T>> {
  /** Adds an item at its first use. */
  add(item: T): void;
  /** The item is used again. */
  touch(item: T): void;
  remove(item: T): void;
  /** The least recently used item of each segment; the first of them is the one to evict. */
  leastRecent(): readonly T[];
}

/** Part of all items that may be proven. The rest is for new items, so that they last until they are used again. */
const PROVEN_SHARE = 0.8;

/**
 * A segmented LRU list (Karedla, Love and Wherry, 1994). An item that is used again moves to the proven segment, from
 * which new items never displace it. When the proven segment is full, its least recently used item becomes unproven
 * again.
 *
 * @param capacity the largest number of items
 */
export function createSegmentedRecency<T extends Segmented<T>>(capacity: number): SegmentedRecency<T> {
  const maxProven = Math.floor(capacity * PROVEN_SHARE);
  const unproven = createRecencyList<T>();
  const proven = createRecencyList<T>();
  const segments = [unproven, proven];
  let provenItems = 0;

  const put = (item: T, isProven: boolean): void => {
    item.isProven = isProven;
    item.link = (isProven ? proven : unproven).add(item);
    if (isProven) provenItems++;
  };
  const remove = (item: T): void => {
    if (item.link === undefined) return;
    (item.isProven ? proven : unproven).remove(item.link);
    item.link = undefined;
    if (item.isProven) provenItems--;
  };

  return {
    add: (item) => put(item, false),
    touch: (item) => {
      if (item.isProven && item.link !== undefined) {
        proven.touch(item.link);
        return;
      }
      remove(item);
      put(item, maxProven > 0);
      const displaced = provenItems > maxProven ? proven.oldest()?.item : undefined;
      if (displaced === undefined) return;
      remove(displaced);
      put(displaced, false);
    },
    remove,
    // Asked for with every charge.
    leastRecent: () => {
      const items: T[] = [];
      for (const segment of segments) {
        const oldest = segment.oldest();
        if (oldest !== undefined) items.push(oldest.item);
      }
      return items;
    },
  };
}
