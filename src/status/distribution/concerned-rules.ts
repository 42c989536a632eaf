import { appendTo } from '../../base/append-to.js';
import { keyOf, type MeshObject, type ObjectKey } from '../../config/object.js';
import { namesIn } from '../../model/policy/rules/names-in.js';
import { resolveReference } from '../../model/policy/rules/resolve-reference.js';
import type { RuleSource } from '../../model/policy/rules/rule-source.js';
import { decides } from '../../model/policy/rules/ruled-services.js';

/** Keys of the rules that decide about requests to services of a namespace, and of all objects that they name. */
export type ConcernedRules = (namespace: string) => readonly ObjectKey[];

export function concernedRules(source: RuleSource): ConcernedRules {
  const { rootNamespace } = source.bindingGrants;
  const byNamespace = new Map<string, ObjectKey[]>();
  for (const rule of source.objects.get('rule')?.values() ?? []) {
    if (!decides(rule, source)) continue;
    for (const key of [keyOf(rule), ...namedBy(rule, source)]) appendTo(byNamespace, rule.metadata.namespace, key);
  }
  for (const manifest of source.objects.get('attributemanifest')?.values() ?? []) {
    const { namespace } = manifest.metadata;
    if (byNamespace.has(namespace)) appendTo(byNamespace, namespace, keyOf(manifest));
  }
  const everywhere = byNamespace.get(rootNamespace) ?? [];
  return (namespace) =>
    namespace === rootNamespace ? everywhere : [...everywhere, ...(byNamespace.get(namespace) ?? [])];
}

/** The objects that an object names, and those that they name. */
function namedBy(from: MeshObject, source: RuleSource): readonly ObjectKey[] {
  return namesIn(from).flatMap(([kind, written]) => {
    const resolution = resolveReference(source, from, kind, written);
    if (resolution.type !== 'found') return [];
    return [resolution.key, ...namedBy(resolution.object, source)];
  });
}
