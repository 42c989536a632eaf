import type { Violation } from '../violation.js';
import { LIMITS } from './limits.js';

/** Runs rules until enough is found: an object of thousands of mistakes costs no more than one of twenty. */
export function firstViolations(rules: Iterable<Violation>): readonly Violation[] {
  const violations: Violation[] = [];
  for (const violation of rules) {
    violations.push(violation);
    if (violations.length === LIMITS.violations) break;
  }
  return violations;
}
