import type { BoundQuotaSpec } from '../../../config/policy/bound-specs.js';
import type { ComparisonBudget } from './comparison-budget.js';
import { conditionPath, conditionsOf, createQuotaConditionIndex, type QuotaCondition } from './quota-conditions.js';
import { type MatchesRegex, stringMatchesOverlap } from './string-matches-overlap.js';
import { workloadsMeet } from './workloads-meet.js';

/** The two rules or patterns of an overlap, as paths in their objects: `spec.rules[0]`. */
export interface Overlap {
  readonly first: string;
  readonly second: string;
}

/** The first two rules that one request can match; undefined if there are none, or the budget is used up. */
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

/** Conditions on different attributes can always hold together. */
function canHoldTogether(first: QuotaCondition, { clause, workloads }: QuotaCondition, matches: MatchesRegex): boolean {
  if (!workloadsMeet(first.workloads, workloads)) return false;
  return first.entries.every(([attribute, condition]) => {
    const other = Object.hasOwn(clause, attribute) ? clause[attribute] : undefined;
    return other === undefined || stringMatchesOverlap(condition, other, matches);
  });
}
