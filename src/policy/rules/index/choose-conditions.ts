import type { Conjunct, ValueCondition } from '../../../expressions/conditions/conjunct.js';

/** The condition by which a rule is found, and the conjunct that it is of. */
export interface ChosenCondition {
  readonly condition: ValueCondition;
  readonly conjunct: Conjunct;
}

/** The most selective first. */
const TYPES: readonly ValueCondition['type'][] = ['equals', 'startsWith', 'contains', 'isFilled'];

/**
 * Chooses for each rule the condition with the value that fewest rules need: of equally rare ones an equality, then the
 * beginning of a text, then one whose subject most rules have, so that few subjects are read. A condition that many values
 * meet is chosen only for a rule without others.
 */
export function* chooseConditions<Rule extends { readonly conjuncts: readonly Conjunct[] }>(
  rules: readonly Rule[],
): Iterable<readonly [rule: Rule, chosen: ChosenCondition | undefined]> {
  const uses = new Map<string, number>();
  const add = (key: string): void => {
    uses.set(key, (uses.get(key) ?? 0) + 1);
  };
  for (const { condition } of rules.flatMap(conditionsOf)) {
    add(condition.subjectKey);
    for (const key of valueKeys(condition)) add(key);
  }
  const usesOf = (key: string): number => uses.get(key) ?? 0;
  for (const rule of rules) {
    const ranked = conditionsOf(rule).map((chosen) => {
      const { condition } = chosen;
      const { type, subjectKey } = condition;
      const rarity = Math.max(...valueKeys(condition).map(usesOf));
      return { chosen, rank: [type === 'isFilled' ? 1 : 0, rarity, TYPES.indexOf(type), -usesOf(subjectKey)] };
    });
    const [best] = ranked.sort((a, b) => compareRanks(a.rank, b.rank));
    yield [rule, best?.chosen];
  }
}

function conditionsOf({ conjuncts }: { readonly conjuncts: readonly Conjunct[] }): readonly ChosenCondition[] {
  return conjuncts.flatMap((conjunct) => conjunct.conditions.map((condition) => ({ condition, conjunct })));
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
