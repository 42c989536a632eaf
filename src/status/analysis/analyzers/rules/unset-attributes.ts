import { keyOf, type MeshObject, type ObjectKey } from '../../../../config/object.js';
import type { HttpApiSpec } from '../../../../config/policy/http-api-spec.js';
import { attributeType } from '../../../../config/policy-rules/attribute-types.js';
import type { RuleSpec } from '../../../../config/policy-rules/rule.js';
import { checkExpression } from '../../../../expressions/check-expression.js';
import { createMemo } from '../../../../model/memo.js';
import { attributesOf } from '../../../../model/policy/rules/check-expressions.js';
import { createMessage } from '../../analysis-message.js';
import type { ObjectAnalyzer } from '../../object-analyzer.js';

const memo = createMemo<ReadonlySet<string>>();

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
    const set = attributesOfApis(index.objects.get('HTTPAPISpec') ?? new Map());
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

function attributesOfApis(specs: ReadonlyMap<ObjectKey, MeshObject>): ReadonlySet<string> {
  return memo.of([specs], '', () => {
    const bodies = [...specs.values()].map(({ body }) => body as HttpApiSpec);
    return new Set(
      bodies
        .flatMap(({ attributes, patterns }) => [attributes, ...patterns.map((pattern) => pattern.attributes)])
        .flatMap((spec) => Object.keys(spec?.attributes ?? {})),
    );
  });
}
