import type { MeshObject } from '../../../config/object.js';
import type { InstanceSpec } from '../../../config/policy-rules/instance.js';
import { instanceExpressions } from '../../../config/policy-rules/instance-rules.js';
import type { RuleSpec } from '../../../config/policy-rules/rule.js';
import { ruleExpressions } from '../../../config/policy-rules/rule-rules.js';
import type { TypedNode } from '../../../expressions/check/typed-tree.js';
import { readExpression } from '../../../expressions/check-expression.js';
import { ExpressionSyntaxError } from '../../../expressions/expression-syntax-error.js';
import type { ExpressionLanguage } from '../../../expressions/expression-types.js';
import { attributesOf } from './check-expressions.js';
import type { RuleSource } from './rule-source.js';

/** An expression of an object, in its checked form. */
export interface ExpressionTree {
  /** Below `spec`. */
  readonly path: string;
  readonly tree: TypedNode;
}

/** The expressions of a rule or instance. Without those that are wrong, which have messages of their own. */
export function expressionTrees(
  { kind, body, metadata }: MeshObject,
  source: RuleSource,
  language: ExpressionLanguage,
): readonly ExpressionTree[] {
  const attributes = attributesOf(source, metadata.namespace);
  const fields = kind === 'rule' ? ruleExpressions(body as RuleSpec) : instanceExpressions(body as InstanceSpec);
  return [...fields].flatMap(({ path, text }) => {
    try {
      return { path, tree: readExpression(text, attributes, language).tree };
    } catch (error) {
      if (error instanceof ExpressionSyntaxError) return [];
      throw error;
    }
  });
}
