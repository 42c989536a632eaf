import { keyOf } from '../../../../config/object.js';
import { RULE_KINDS } from '../../../../config/policy-rules/kind-names.js';
import { createMessage } from '../../analysis-message.js';
import type { ObjectAnalyzer } from '../../object-analyzer.js';

/** All objects of the policy runtime, until a dispatcher runs rules: the line of this analyzer leaves its table then. */
export const rulesWithoutDispatcher: ObjectAnalyzer = {
  kinds: RULE_KINDS,
  find: (object) => [
    createMessage(
      'rulesNotEnforced',
      { object: keyOf(object) },
      `this version does not run objects of kind ${object.kind}`,
    ),
  ],
};
