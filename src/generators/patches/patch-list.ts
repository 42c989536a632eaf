import type { PatchOperation } from '../../config/networking/envoy-filter.js';

/** A change of a list by one patch. */
export interface ListChange<Item> {
  readonly operation: PatchOperation;
  /** Whether the patch names items. Without, INSERT_BEFORE means the beginning of the list and INSERT_AFTER the end. */
  readonly isSelective: boolean;
  matches(item: Item): boolean;
  /** Makes the item that is added. */
  create(): Item;
  merge(item: Item): void;
  /** Number of items at the end of the list that stay last: a chain ends with the filter that forwards. */
  readonly fixedTail?: number;
}

/** Changes a list in place. @returns whether the patch applied to it */
export function changeList<Item>(list: Item[], change: ListChange<Item>): boolean {
  const { operation, isSelective } = change;
  const end = Math.max(0, list.length - (change.fixedTail ?? 0));
  switch (operation) {
    case 'MERGE': {
      const matching = list.filter((item) => change.matches(item));
      for (const item of matching) change.merge(item);
      return matching.length > 0;
    }
    case 'REMOVE': {
      const kept = list.filter((item) => !change.matches(item));
      if (kept.length === list.length) return false;
      list.splice(0, list.length, ...kept);
      return true;
    }
    case 'ADD':
      list.splice(end, 0, change.create());
      return true;
    case 'INSERT_FIRST':
      list.unshift(change.create());
      return true;
    case 'INSERT_BEFORE':
    case 'INSERT_AFTER': {
      const found = isSelective ? list.findIndex((item) => change.matches(item)) : -1;
      if (isSelective && found === -1) return false;
      const before = operation === 'INSERT_BEFORE';
      const place = isSelective ? found + (before ? 0 : 1) : before ? 0 : end;
      list.splice(place, 0, change.create());
      return true;
    }
  }
}
