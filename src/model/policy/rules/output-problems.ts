import { actionOutputs, outputTypes, withOutputs } from '../../../config/policy-rules/action-outputs.js';
import { checkField } from '../../../config/policy-rules/check-field.js';
import type { RuleSpec } from '../../../config/policy-rules/rule.js';
import { ruleExpressions } from '../../../config/policy-rules/rule-rules.js';
import type { AttributeTypes, ExpressionLanguage } from '../../../expressions/expression-types.js';
import type { ResolvedAction } from './resolved-objects.js';
import { expressionProblem, type RuleProblem } from './rule-problem.js';

/**
 * Header operations that read an output which the templates of the named action do not have, or which is no text. The
 * operations are left out. Actions that are not resolved have their own problems.
 */
export function outputProblems(
  spec: RuleSpec,
  actions: readonly ResolvedAction[],
  attributes: AttributeTypes,
  language: ExpressionLanguage,
): readonly RuleProblem[] {
  if (spec.requestHeaderOperations.length + spec.responseHeaderOperations.length === 0) return [];
  const resolved = new Set(actions.map(({ name }) => name));
  const types = withOutputs(attributes, outputTypes(actionOutputs(actions)));
  return [...ruleExpressions(spec)].flatMap((field): readonly RuleProblem[] => {
    const check = checkField(field, types, language);
    if (check.type === 'valid') return [];
    if (check.type === 'invalid') return [expressionProblem(check.violation)];
    const actionsOf = check.names.map((name) => name.split('.', 1)[0]);
    if (!actionsOf.some((name) => resolved.has(name))) return [];
    const text = `${JSON.stringify(field.text)} cannot be evaluated: ${check.message}`;
    return [{ type: 'expression', field: field.path, text }];
  });
}
