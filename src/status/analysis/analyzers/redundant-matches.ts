import { LIMITS } from '../../../config/policy/limits.js';
import type { AttributeMatchSpec } from '../../../config/policy/quota-spec.js';
import type { Analyzer } from '../analysis-input.js';
import { type AnalysisMessage, createMessage } from '../analysis-message.js';
import { withConditions } from '../condition-lists.js';
import { type ComparisonBudget, createComparisonBudget } from '../overlap/comparison-budget.js';

/** Comparisons of one spec, which take one or two milliseconds. */
const MAX_COMPARISONS = 20_000;

/**
 * Matches with all conditions of another match, which is enough for the rule, plan or limit
 * (docs/reference/policy-kinds.md#quotarule).
 */
export const findRedundantMatches: Analyzer = (input) => {
  const messages: AnalysisMessage[] = [];
  for (const [object, lists] of withConditions(input)) {
    const budget = createComparisonBudget(MAX_COMPARISONS);
    let told = 0;
    for (const { path, owner, match } of lists) {
      for (const { index, wider, clause } of redundantIn(match, budget)) {
        if (told++ === LIMITS.violations) break;
        const field = `${path}.match[${index}]`;
        const what =
          Object.keys(clause).length === 0
            ? 'has no conditions, so it always holds'
            : 'has only conditions of this match';
        messages.push(createMessage('redundantMatch', { object, field }, `match[${wider}] of the ${owner} ${what}`));
      }
    }
  }
  return messages;
};

type Clause = AttributeMatchSpec['clause'];

interface Redundant {
  readonly index: number;
  readonly wider: number;
  /** The clause of the wider match. */
  readonly clause: Clause;
}

function* redundantIn(match: readonly AttributeMatchSpec[], budget: ComparisonBudget): Iterable<Redundant> {
  if (match.length < 2) return;
  const conditions = match.map(({ clause }) => new Set(Object.entries(clause).map((entry) => JSON.stringify(entry))));
  for (const [index, own] of conditions.entries()) {
    const wider = conditions.findIndex((other, at) => {
      if (at === index || !budget.spend() || other.size > own.size || (other.size === own.size && at > index))
        return false;
      return [...other].every((condition) => own.has(condition));
    });
    if (wider !== -1) yield { index, wider, clause: match[wider]?.clause ?? {} };
  }
}
