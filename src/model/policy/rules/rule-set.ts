import { keyOf, type ObjectKey } from '../../../config/object.js';
import type { ExpressionLanguage } from '../../../expressions/expression-types.js';
import { compareText } from '../../service-order.js';
import { resolveRule } from './resolve-rule.js';
import type { ResolvedRule } from './resolved-objects.js';
import type { RuleProblem } from './rule-problem.js';
import type { RuleSource } from './rule-source.js';

/** What a dispatcher runs. */
export interface RuleSet {
  /** By key. Rules with problems keep the parts that have none. */
  readonly rules: readonly ResolvedRule[];
  /** The problems of each rule that has some. */
  readonly problems: ReadonlyMap<ObjectKey, readonly RuleProblem[]>;
}

/** Resolves the rules of a snapshot. Equal snapshots give equal sets. */
export function compileRules(source: RuleSource, language: ExpressionLanguage): RuleSet {
  const rules: ResolvedRule[] = [];
  const problems = new Map<ObjectKey, readonly RuleProblem[]>();
  const objects = [...(source.objects.get('rule')?.values() ?? [])];
  for (const object of objects.sort((first, second) => compareText(keyOf(first), keyOf(second)))) {
    const resolution = resolveRule(object, source, language);
    if (resolution.rule !== undefined) rules.push(resolution.rule);
    if (resolution.problems.length > 0) problems.set(keyOf(object), resolution.problems);
  }
  return { rules, problems };
}
