import { keyOf, type MeshObject } from '../../../../config/object.js';
import { declaredAttributes } from '../../../../model/policy/rules/declared-attributes.js';
import type { RuleSource } from '../../../../model/policy/rules/rule-source.js';
import { createMessage } from '../../analysis-message.js';
import type { ObjectAnalyzer } from '../../object-analyzer.js';
import type { TrafficIndex } from '../../traffic/traffic-index.js';

/** Attributes to which an older manifest, or one of the operator, gives another type. */
export const conflictingManifests: ObjectAnalyzer = {
  kinds: ['attributemanifest'],
  find: (object, index) => {
    const key = keyOf(object);
    return declaredAttributes(withManifest(object, index), object.metadata.namespace)
      .conflicts.filter(({ manifest }) => manifest === key)
      .map(({ attribute, type, older, olderType }) => {
        const where = { object: key, field: `spec.attributes[${JSON.stringify(attribute)}].valueType` };
        return createMessage('conflictingManifest', where, `${attribute} is ${olderType} in ${older}, not ${type}`);
      });
  },
};

/** The objects with a manifest that is reviewed, which the index may lack. */
function withManifest(object: MeshObject, index: TrafficIndex): RuleSource {
  const key = keyOf(object);
  const table = index.objects.get(object.kind);
  if (table?.get(key) === object) return index;
  const changed = new Map([...(table ?? []), [key, object] as const]);
  return { bindingGrants: index.bindingGrants, objects: new Map([...index.objects, [object.kind, changed]]) };
}
