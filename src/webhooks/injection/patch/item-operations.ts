import type { PatchOperation } from '../../admission/admission-answer.js';
import { ITEM_LISTS, type ItemList, type NamedItem, type PodSpec } from '../pod.js';
import type { InjectedNames } from '../previous-injection.js';

/** Takes out what an earlier injection added, the last first, so that the places of the others stay. */
export function removeItems(spec: PodSpec, injected: InjectedNames): readonly PatchOperation[] {
  return ITEM_LISTS.flatMap((list) =>
    [...(spec[list] ?? []).entries()]
      .filter(([, { name }]) => injected[list].includes(name))
      .map(([index]): PatchOperation => ({ op: 'remove', path: `/spec/${list}/${index}` }))
      .reverse(),
  );
}

/** Adds to a list: at its end, or before all others in the order of the template. The first item makes the list. */
export function addItems(
  spec: PodSpec,
  list: ItemList,
  items: readonly NamedItem[],
  isFirst: (item: NamedItem) => boolean,
): readonly PatchOperation[] {
  const path = `/spec/${list}`;
  let exists = Array.isArray(spec[list]);
  let firsts = 0;
  return items.map((item): PatchOperation => {
    const place = isFirst(item) ? String(firsts++) : '-';
    if (exists) return { op: 'add', path: `${path}/${place}`, value: item };
    exists = true;
    return { op: 'add', path, value: [item] };
  });
}
