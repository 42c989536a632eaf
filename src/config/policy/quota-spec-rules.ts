import { childPath, type Violation } from '../violation.js';
import { isAttributeName, validateAttributeName } from './attribute-rules.js';
import { firstViolations } from './limits.js';
import { createObjectRegexes, type ObjectRegexes } from './object-regexes.js';
import type { AttributeMatchSpec, QuotaSpec } from './quota-spec.js';
import { refundViolations } from './refund.js';

/** Rules of a QuotaSpec that its schema cannot express (docs/reference/validation-rules.md#quotaspec-rules). */
export function validateQuotaSpec(spec: QuotaSpec, regexes = createObjectRegexes()): readonly Violation[] {
  return firstViolations(quotaSpecViolations(spec, '', regexes));
}

/** The violations of a QuotaSpec inside another object, at `path`. */
export function* quotaSpecViolations(spec: QuotaSpec, path: string, regexes: ObjectRegexes): Iterable<Violation> {
  for (const [ruleIndex, rule] of spec.rules.entries()) {
    for (const [index, match] of rule.match.entries()) {
      const matchPath = (): string => `${childPath(childPath(path, 'rules'), ruleIndex)}.match[${index}].clause`;
      yield* matchViolations(match, matchPath, regexes);
    }
  }
  yield* refundViolations(spec.refund, childPath(path, 'refund'));
}

/**
 * The violations of one match.
 *
 * @param path computed only for clauses that need a check, because most of a large spec does not
 */
export function* matchViolations(
  { clause }: AttributeMatchSpec,
  path: () => string,
  regexes: ObjectRegexes,
): Iterable<Violation> {
  for (const [name, match] of Object.entries(clause)) {
    if (match.regex === undefined && isAttributeName(name)) continue;
    const field = childPath(path(), name);
    yield* validateAttributeName(name, field);
    yield* regexes(`${field}.regex`, match.regex);
  }
}
