import { childPath, type Violation } from '../violation.js';
import { validateAttributeName } from './attribute-rules.js';
import { firstViolations } from './first-violations.js';
import type { AttributeMatchSpec, QuotaSpec } from './quota-spec.js';
import { createRegexBudget, type RegexBudget } from './regex-budget.js';

/** Rules of a QuotaSpec that its schema cannot express (BEHAVIOUR 7, "QuotaSpec"). */
export function validateQuotaSpec(spec: QuotaSpec): readonly Violation[] {
  return firstViolations(quotaSpecViolations(spec, '', createRegexBudget()));
}

/** The same, somewhere inside another object. */
export function* quotaSpecViolations(spec: QuotaSpec, path: string, regexes: RegexBudget): Iterable<Violation> {
  for (const [ruleIndex, rule] of spec.rules.entries()) {
    const rulePath = childPath(childPath(path, 'rules'), ruleIndex);
    for (const [index, match] of rule.match.entries()) {
      yield* matchViolations(match, `${rulePath}.match[${index}].clause`, regexes);
    }
  }
}

function* matchViolations({ clause }: AttributeMatchSpec, path: string, regexes: RegexBudget): Iterable<Violation> {
  for (const [name, match] of Object.entries(clause)) {
    const field = childPath(path, name);
    yield* validateAttributeName(name, field);
    yield* regexes(`${field}.regex`, match.regex);
  }
}
