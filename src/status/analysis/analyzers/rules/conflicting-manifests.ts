import { keyOf } from '../../../../config/object.js';
import { declaredAttributes } from '../../../../model/policy/rules/declared-attributes.js';
import { createMessage } from '../../analysis-message.js';
import type { ObjectAnalyzer } from '../../object-analyzer.js';

/** Attributes to which an older manifest, or one of the operator, gives another type. */
export const conflictingManifests: ObjectAnalyzer = {
  kinds: ['attributemanifest'],
  find: (object, index) => {
    const key = keyOf(object);
    return declaredAttributes(index, object.metadata.namespace)
      .conflicts.filter(({ manifest }) => manifest === key)
      .map(({ attribute, type, older, olderType }) => {
        const where = { object: key, field: `spec.attributes[${JSON.stringify(attribute)}].valueType` };
        return createMessage('conflictingManifest', where, `${attribute} is ${olderType} in ${older}, not ${type}`);
      });
  },
};
