import { keyOf } from '../../../../config/object.js';
import { KINDS_WITHOUT_EFFECT, WITHOUT_EFFECT } from '../../../../config/policy-rules/kind-names.js';
import { createMessage } from '../../analysis-message.js';
import type { ObjectAnalyzer } from '../../object-analyzer.js';

/** All objects of kinds that nothing runs yet. */
export const rulesWithoutDispatcher: ObjectAnalyzer = {
  kinds: [...KINDS_WITHOUT_EFFECT],
  find: (object) => [createMessage('rulesNotEnforced', { object: keyOf(object) }, WITHOUT_EFFECT)],
};
