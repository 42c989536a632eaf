import type { Conjunct, ValueCondition } from '../../../expressions/conditions/conjunct.js';

/** The conditions by which a rule is found, of which a request meets at least one, and the conjunct that they are of. */
export interface ChosenConditions {
  readonly conditions: readonly ValueCondition[];
  readonly conjunct: Conjunct;
}

/** The most selective first. */
const TYPES: readonly ValueCondition['type'][] = ['equals', 'startsWith', 'contains', 'isFilled'];

/**
 * Chooses for each rule the conditions with the values that fewest rules need: of equally rare ones those of one subject, then
 * equalities, then beginnings of texts, then those whose subjects most rules have, so that few subjects are read. A condition
 * that many values meet is chosen only for a rule without others.
 */
export function* chooseConditions<Rule extends { readonly conjuncts: readonly Conjunct[] }>(
  rules: readonly Rule[],
): Iterable<readonly [rule: Rule, chosen: ChosenConditions | undefined]> {
  const uses = new Map<string, number>();
  const add = (key: string): void => {
    uses.set(key, (uses.get(key) ?? 0) + 1);
  };
  for (const condition of rules.flatMap(choicesOf).flatMap(({ conditions }) => conditions)) {
    add(condition.subjectKey);
    for (const key of valueKeys(condition)) add(key);
  }
  const usesOf = (key: string): number => uses.get(key) ?? 0;
  const rankOf = ({ conditions }: ChosenConditions): readonly number[] => {
    const worst = (numberOf: (condition: ValueCondition) => number): number => Math.max(...conditions.map(numberOf));
    return [
      worst(({ type }) => (type === 'isFilled' ? 1 : 0)),
      worst((condition) => Math.max(...valueKeys(condition).map(usesOf))),
      conditions.length,
      worst(({ type }) => TYPES.indexOf(type)),
      worst(({ subjectKey }) => -usesOf(subjectKey)),
    ];
  };
  for (const rule of rules) {
    const ranked = choicesOf(rule).map((chosen) => ({ chosen, rank: rankOf(chosen) }));
    const [best] = ranked.sort((a, b) => compareRanks(a.rank, b.rank));
    yield [rule, best?.chosen];
  }
}

function choicesOf({ conjuncts }: { readonly conjuncts: readonly Conjunct[] }): readonly ChosenConditions[] {
  return conjuncts.flatMap((conjunct) => conjunct.needs.map((conditions) => ({ conditions, conjunct })));
}

/** A subject's key has no line break: its texts are written as JSON. */
function valueKeys({ subjectKey, type, values }: ValueCondition): readonly string[] {
  if (type === 'isFilled') return [`${subjectKey}\n${type}`];
  return values.map((value) => `${subjectKey}\n${type} ${typeof value} ${value}`);
}

function compareRanks(a: readonly number[], b: readonly number[]): number {
  for (const [index, rank] of a.entries()) {
    const difference = rank - (b[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
