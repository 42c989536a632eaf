import { keyOf, type MeshObject } from '../config/object.js';
import { compareAge, compareText } from './service-order.js';

/** Oldest first, then by key: the precedence among objects of one kind. */
export function compareObjects(first: MeshObject, second: MeshObject): number {
  return (
    compareAge(first.metadata.creationTimestamp ?? '', second.metadata.creationTimestamp ?? '') ||
    compareText(keyOf(first), keyOf(second))
  );
}
