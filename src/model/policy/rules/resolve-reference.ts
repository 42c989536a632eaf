import { type MeshObject, type ObjectKey, objectKey } from '../../../config/object.js';
import { referenceTargets } from '../../../config/policy-rules/object-reference.js';
import { mayReferTo } from '../binding-grants.js';
import type { RuleSource } from './rule-source.js';

/** The result of looking up the object of a reference. */
export type Resolution =
  | { readonly type: 'found'; readonly key: ObjectKey; readonly object: MeshObject }
  | { readonly type: 'missing'; readonly key: ObjectKey }
  /** The namespace does not grant access, so nothing tells whether the object exists. */
  | { readonly type: 'not granted'; readonly key: ObjectKey; readonly namespace: string };

/**
 * Finds the object of a reference. Objects may use those of their own namespace, of the root namespace, and of namespaces
 * that grant it, as bindings may.
 *
 * @param from the object that has the reference
 */
export function resolveReference(
  { objects, bindingGrants }: RuleSource,
  from: MeshObject,
  kind: string,
  written: string,
): Resolution {
  const targets = referenceTargets(written, kind, from.metadata.namespace);
  let refused: Resolution | undefined;
  for (const { namespace, name } of targets) {
    const key = objectKey(kind, namespace, name);
    if (!mayReferTo(bindingGrants, from, namespace)) {
      refused = { type: 'not granted', key, namespace };
      continue;
    }
    const object = objects.get(kind)?.get(key);
    if (object !== undefined) return { type: 'found', key, object };
  }
  if (refused !== undefined) return refused;
  // The last target is in the namespace that the text names, if it names one.
  const { namespace, name } = targets[targets.length - 1] ?? { namespace: from.metadata.namespace, name: written };
  return { type: 'missing', key: objectKey(kind, namespace, name) };
}
