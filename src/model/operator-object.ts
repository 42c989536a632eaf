import type { MeshObject } from '../config/object.js';

/**
 * Whether the mesh's operator wrote the object: it is from a file or another source that only the operator writes, or in
 * the root namespace. Tenants write objects of a cluster in their own namespaces.
 */
export function isOfOperator(
  { origin, metadata }: Pick<MeshObject, 'origin' | 'metadata'>,
  rootNamespace: string,
): boolean {
  return origin !== 'cluster' || metadata.namespace === rootNamespace;
}
