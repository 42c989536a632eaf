import type { AttributeMatchSpec, QuotaRuleSpec, QuotaSpec } from '../../../config/policy/quota-spec.js';
import type { ComparisonBudget } from './comparison-budget.js';
import { type MatchesRegex, stringMatchesOverlap } from './string-matches-overlap.js';

/** Where two specs overlap: paths below each object's `spec`. */
export interface Overlap {
  readonly first: string;
  readonly second: string;
}

/** The first two rules that one request can match; undefined when there are none, or the budget is spent. */
export function findQuotaOverlap(
  first: QuotaSpec,
  second: QuotaSpec,
  budget: ComparisonBudget,
  matches: MatchesRegex,
): Overlap | undefined {
  for (const [firstPath, firstMatch] of conditionsOf(first.rules)) {
    for (const [secondPath, secondMatch] of conditionsOf(second.rules)) {
      if (!budget.spend()) return undefined;
      if (matchesOverlap(firstMatch, secondMatch, matches)) return { first: firstPath, second: secondPath };
    }
  }
  return undefined;
}

/** A rule without matches holds always, like a match without clauses. */
function* conditionsOf(rules: readonly QuotaRuleSpec[]): Iterable<readonly [string, AttributeMatchSpec]> {
  for (const [index, { match }] of rules.entries()) {
    if (match.length === 0) yield [`spec.rules[${index}]`, { clause: {} }];
    for (const [at, each] of match.entries()) yield [`spec.rules[${index}].match[${at}]`, each];
  }
}

/** Conditions on different attributes can always hold together. */
function matchesOverlap(first: AttributeMatchSpec, second: AttributeMatchSpec, matches: MatchesRegex): boolean {
  return Object.entries(first.clause).every(([attribute, condition]) => {
    const other = Object.hasOwn(second.clause, attribute) ? second.clause[attribute] : undefined;
    return other === undefined || stringMatchesOverlap(condition, other, matches);
  });
}
