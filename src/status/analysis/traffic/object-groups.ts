import { appendTo } from '../../../base/append-to.js';
import type { MeshObject, ObjectKey } from '../../../config/object.js';

/** Objects of one kind by a key, such as their host. */
export type ObjectGroups = ReadonlyMap<string, readonly MeshObject[]>;

type Table = ReadonlyMap<ObjectKey, MeshObject> | undefined;

/** Groups the objects of a kind. Keep one: it reads only changed objects, and nothing for an unchanged table. */
export type ObjectGrouper = (table: Table, domain: string) => ObjectGroups;

/** @param keysOf the keys of an object; it depends on nothing else */
export function createObjectGrouper(keysOf: (object: MeshObject, domain: string) => readonly string[]): ObjectGrouper {
  const keys = new WeakMap<MeshObject, readonly string[]>();
  let last: { readonly table: Table; readonly domain: string; readonly groups: ObjectGroups } | undefined;
  return (table, domain) => {
    if (last === undefined || last.table !== table || last.domain !== domain) {
      const groups = new Map<string, MeshObject[]>();
      for (const object of table?.values() ?? []) {
        let known = keys.get(object);
        if (known === undefined || last?.domain !== domain) {
          known = keysOf(object, domain);
          keys.set(object, known);
        }
        for (const key of known) {
          appendTo(groups, key, object);
        }
      }
      last = { table, domain, groups };
    }
    return last.groups;
  };
}
