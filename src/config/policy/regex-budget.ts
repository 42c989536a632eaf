import type { Violation } from '../violation.js';
import { checkRegex, type RegexCheck } from './regex.js';

/** Checks the regular expressions of one object, whose sizes together are bounded. */
export type RegexBudget = (path: string, text: string | undefined) => Iterable<Violation>;

/** Instructions of all regular expressions of an object: about a second to compile. */
const MAX_TOTAL_SIZE = 200_000;

/** @param checkOne by default without a memory */
export function createRegexBudget(checkOne: (text: string) => RegexCheck = checkRegex): RegexBudget {
  let total = 0;
  return function* check(path, value) {
    if (value === undefined || total > MAX_TOTAL_SIZE) return;
    const result = checkOne(value);
    if (result.type === 'error') {
      yield { path, value, message: result.message, remedy: result.remedy };
      return;
    }
    total += result.size;
    if (total > MAX_TOTAL_SIZE) {
      yield {
        path,
        value,
        message: 'is one regular expression too many: together they are too large',
        remedy: 'use exact and prefix matches, or spread the rules over several objects',
      };
    }
  };
}
