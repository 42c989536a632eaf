import type { MeshObject, ObjectKey } from '../../config/object.js';

/** All objects by kind. */
export type ObjectTables = ReadonlyMap<string, ReadonlyMap<ObjectKey, MeshObject>>;

/** The objects of a kind. The caller knows the body of the kind. */
export function objectsOf<Body>(objects: ObjectTables, kind: string): readonly MeshObject<string, Body>[] {
  return Array.from(objects.get(kind)?.values() ?? []) as MeshObject<string, Body>[];
}
