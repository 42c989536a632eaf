import type { MeshObject, ObjectKey } from '../../config/object.js';
import { namespaceOfKey } from '../../config/object.js';
import { kindOfKey } from '../push-request.js';

interface ObjectsByKind {
  readonly objects: ReadonlyMap<string, ReadonlyMap<ObjectKey, MeshObject>>;
}

const NONE: readonly ObjectKey[] = [];

/** The objects that an object is made from, the most important first; empty for an applied object, and for a missing one. */
export function sourceKeysOf({ objects }: ObjectsByKind, key: ObjectKey): readonly ObjectKey[] {
  return objects.get(kindOfKey(key))?.get(key)?.derivedFrom ?? NONE;
}

/** The namespace of the object's author, which decides what the object may do: the own one, or that of its source. */
export function authorNamespaceOf({ metadata, derivedFrom }: Pick<MeshObject, 'metadata' | 'derivedFrom'>): string {
  return derivedFrom === undefined ? metadata.namespace : namespaceOfKey(derivedFrom[0]);
}
