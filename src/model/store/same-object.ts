import { isDeepStrictEqual } from 'node:util';
import type { MeshObject } from '../../config/object.js';

/** Whether two objects of one API server are the same version. */
export function isSameVersion(known: MeshObject, next: MeshObject): boolean {
  if (known === next) return true;
  const { resourceVersion } = known.metadata;
  return resourceVersion !== '' && resourceVersion === next.metadata.resourceVersion;
}

/**
 * Whether two objects, perhaps of two API servers, are the same. Their versions may be equal by chance, especially those of
 * objects that every cluster starts with.
 */
export function isSameObject(known: MeshObject, next: MeshObject): boolean {
  return isSameVersion(known, next) && isDeepStrictEqual(known, next);
}
