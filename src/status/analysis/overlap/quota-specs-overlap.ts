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
  const others = conditionsOf(second.rules);
  for (const condition of conditionsOf(first.rules)) {
    for (const other of others) {
      if (!budget.spend()) return undefined;
      if (canHoldTogether(condition, other, matches)) return { first: pathOf(condition), second: pathOf(other) };
    }
  }
  return undefined;
}

type Clause = AttributeMatchSpec['clause'];

interface Condition {
  readonly rule: number;
  /** Of the match; undefined for a rule without any. */
  readonly match: number | undefined;
  readonly clause: Clause;
  readonly entries: readonly (readonly [string, Clause[string]])[];
}

/** A rule without matches holds always, like a match without clauses. */
function conditionsOf(rules: readonly QuotaRuleSpec[]): readonly Condition[] {
  return rules.flatMap(({ match }, rule): readonly Condition[] =>
    match.length === 0
      ? [{ rule, match: undefined, clause: {}, entries: [] }]
      : match.map(({ clause }, index) => ({ rule, match: index, clause, entries: Object.entries(clause) })),
  );
}

function pathOf({ rule, match }: Condition): string {
  return `spec.rules[${rule}]${match === undefined ? '' : `.match[${match}]`}`;
}

/** Conditions on different attributes always can. */
function canHoldTogether({ entries }: Condition, { clause }: Condition, matches: MatchesRegex): boolean {
  return entries.every(([attribute, condition]) => {
    const other = Object.hasOwn(clause, attribute) ? clause[attribute] : undefined;
    return other === undefined || stringMatchesOverlap(condition, other, matches);
  });
}
