import type { CheckRegex } from '../regex/check-regex.js';
import { createRegexBudget } from '../regex/regex-budget.js';
import { DEFAULT_REGEX_LIMITS, type RegexLimits } from '../regex/regex-limits.js';
import type { Violation } from '../violation.js';

/** Checks a regular expression of an object. The sum of their sizes is limited. */
export type ObjectRegexes = (path: string, text: string | undefined) => Iterable<Violation>;

/** @param check checks one expression; default: `checkRegex`, which caches nothing */
export function createObjectRegexes(
  check?: CheckRegex,
  { objectBytes }: Pick<RegexLimits, 'objectBytes'> = DEFAULT_REGEX_LIMITS,
): ObjectRegexes {
  const budget = createRegexBudget({
    maxBytes: objectBytes,
    scope: 'of this object',
    remedy: 'use exact and prefix matches, or spread the rules over several objects',
    ...(check && { check }),
  });
  let isSpent = false;
  return function* checkField(path, value) {
    // Reports only the first expression that exceeds the sum, not those after it.
    if (value === undefined || isSpent) return;
    const result = budget(value);
    if (result.type === 'regex') return;
    isSpent = result.isSum === true;
    yield { path, value, message: result.message, remedy: result.remedy };
  };
}
