import type { BoundQuotaSpec } from '../../../config/policy/bound-specs.js';
import type { ComparisonBudget } from './comparison-budget.js';
import { conditionPath, conditionsOf, createQuotaConditionIndex, type QuotaCondition } from './quota-conditions.js';
import { type MatchesRegex, stringMatchesOverlap } from './string-matches-overlap.js';
import { workloadsMeet } from './workloads-meet.js';

/** Where two specs overlap: paths below each object's `spec`. */
export interface Overlap {
  readonly first: string;
  readonly second: string;
}

/** The first two rules that one request can match; undefined when there are none, or the budget is spent. */
export function findQuotaOverlap(
  first: BoundQuotaSpec,
  second: BoundQuotaSpec,
  budget: ComparisonBudget,
  matches: MatchesRegex,
): Overlap | undefined {
  const others = createQuotaConditionIndex(conditionsOf(second.rules));
  for (const condition of conditionsOf(first.rules)) {
    if (!budget.spend()) return undefined;
    for (const other of others.partnersOf(condition)) {
      if (!budget.spend()) return undefined;
      if (canHoldTogether(condition, other, matches)) {
        return { first: conditionPath(condition), second: conditionPath(other) };
      }
    }
  }
  return undefined;
}

/** Conditions on different attributes always can. */
function canHoldTogether(first: QuotaCondition, { clause, workloads }: QuotaCondition, matches: MatchesRegex): boolean {
  if (!workloadsMeet(first.workloads, workloads)) return false;
  return first.entries.every(([attribute, condition]) => {
    const other = Object.hasOwn(clause, attribute) ? clause[attribute] : undefined;
    return other === undefined || stringMatchesOverlap(condition, other, matches);
  });
}
