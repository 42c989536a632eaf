import { isDeepStrictEqual } from 'node:util';
import type { MeshObject, ObjectKey } from '../../config/object.js';

export type Objects = ReadonlyMap<ObjectKey, MeshObject>;

/**
 * Replaces each object by the previous one while what policies read of it is equal: a written status or label is no change.
 */
export function keepObjects(previous: Objects | undefined, next: Objects | undefined): Objects {
  const kept = new Map<ObjectKey, MeshObject>();
  for (const [key, object] of next ?? []) {
    const known = previous?.get(key);
    kept.set(key, known !== undefined && isSame(known, object) ? known : object);
  }
  return kept;
}

function isSame(first: MeshObject, second: MeshObject): boolean {
  if (first === second) return true;
  return (
    first.origin === second.origin &&
    first.metadata.creationTimestamp === second.metadata.creationTimestamp &&
    (first.body === second.body || isDeepStrictEqual(first.body, second.body))
  );
}
