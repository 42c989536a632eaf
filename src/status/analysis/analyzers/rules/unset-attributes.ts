import { keyOf } from '../../../../config/object.js';
import { attributeType } from '../../../../config/policy-rules/attribute-types.js';
import type { RuleSpec } from '../../../../config/policy-rules/rule.js';
import { checkExpression } from '../../../../expressions/check-expression.js';
import { createMemo } from '../../../../model/memo.js';
import { attributesOf } from '../../../../model/policy/rules/check-expressions.js';
import { createMessage } from '../../analysis-message.js';
import { attributesOfApis } from '../../known-attributes.js';
import type { ObjectAnalyzer } from '../../object-analyzer.js';
import type { TrafficIndex } from '../../traffic/traffic-index.js';

const memo = createMemo<ReadonlySet<string>>();
const NO_SPECS = new Map();

/**
 * Conditions of rules on attributes that a manifest declares and nothing sets. Public files declare attributes that other
 * meshes had, such as the labels of callers.
 */
export const unsetAttributes: ObjectAnalyzer = {
  kinds: ['rule'],
  find: (object, index) => {
    const { match = '' } = object.body as RuleSpec;
    if (match.trim() === '') return [];
    const types = attributesOf(index, object.metadata.namespace);
    const read = new Set<string>();
    const observed = {
      ...types,
      typeOf: (name: string) => {
        const type = types.typeOf(name);
        if (type !== undefined && attributeType(name) === undefined) read.add(name);
        return type;
      },
    };
    if ('error' in checkExpression(match, observed, index.settings.expressionLanguage ?? 'legacy')) return [];
    const set = namesSetByApis(index.objects);
    return [...read]
      .filter((name) => !set.has(name))
      .map((name) =>
        createMessage(
          'unsetAttribute',
          { object: keyOf(object), field: 'spec.match' },
          `match reads ${name}, which no proxy and no HTTPAPISpec sets`,
        ),
      );
  },
};

/** Names of the attributes that HTTPAPISpecs set. */
function namesSetByApis(objects: TrafficIndex['objects']): ReadonlySet<string> {
  return memo.of(
    [objects.get('HTTPAPISpec') ?? NO_SPECS],
    '',
    () => new Set(Array.from(attributesOfApis(objects), ([name]) => name)),
  );
}
