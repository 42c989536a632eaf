import type { Violation } from '../violation.js';

/**
 * Limits of the policy kinds. They limit the cost of validating and matching one object, also in the API server. More
 * rules fit into several objects that are bound to the same service.
 */
export const LIMITS = {
  /** Rules of a QuotaSpec, patterns of an HTTPAPISpec. */
  rules: 1000,
  /** Matches or quotas of one rule; API keys of a spec. */
  perRule: 100,
  /** Clauses of a match. */
  clauses: 100,
  /** Services or references of a binding. */
  bindingItems: 1000,
  /** Attributes of one set. */
  attributes: 256,
  /** Characters of a name. */
  nameLength: 253,
  /** Characters of an attribute's or match's text. */
  textLength: 4096,
  /** Listed violations of one object. */
  violations: 20,
} as const;

/** Returns the first violations, and does not look for more: thousands of mistakes cost no more than twenty. */
export function firstViolations(rules: Iterable<Violation>): readonly Violation[] {
  const violations: Violation[] = [];
  for (const violation of rules) {
    violations.push(violation);
    if (violations.length === LIMITS.violations) break;
  }
  return violations;
}
