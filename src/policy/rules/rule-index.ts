import type { MatchMeter } from '../../config/regex/match-meter.js';
import type { Frame } from '../../expressions/compile/evaluate-node.js';
import { LazyFrame } from '../../expressions/compile/lazy-frame.js';
import type { Conjunct } from '../../expressions/conditions/conjunct.js';
import type { AttributeReader } from '../../expressions/expression-types.js';
import { createConditionTables } from './index/condition-tables.js';
import { createSharedTests, type Test } from './index/shared-tests.js';
import type { Found } from './index/value-table.js';

/** A rule in an index. */
export interface IndexedRule {
  /** Place among all rules. */
  readonly place: number;
  /** The parts that must all be true for the rule to match. */
  readonly conjuncts: readonly Conjunct[];
}

/** Finds the rules that match a request, in their order. */
export type RuleIndex<Rule extends IndexedRule> = (bag: AttributeReader, meter: MatchMeter) => readonly Rule[];

/** A rule with what must be tested after it was found. */
interface TestedRule<Rule> {
  readonly rule: Rule;
  readonly tests: readonly Test[];
  readonly isRepeated: boolean;
  /** Of a repeated rule: the last request that found it. */
  foundBy: number;
}

/**
 * Finds the same rules as the evaluation of every rule would. Each rule is found by values that fewest other rules need,
 * and the others are not evaluated. A conjunct that several rules have is evaluated once for each request. The meter of the
 * request pays for what is evaluated.
 */
export function createRuleIndex<Rule extends IndexedRule>(rules: readonly Rule[]): RuleIndex<Rule> {
  const shared = createSharedTests(rules.map(({ conjuncts }) => conjuncts));
  const tables = createConditionTables(rules, (rule, { proven, isRepeated }): TestedRule<Rule> => {
    const tests = shared.testsOf(rule.conjuncts.filter((conjunct) => conjunct !== proven));
    return { rule, tests, isRepeated, foundBy: 0 };
  });
  let request = 0;
  return (bag, meter) => {
    shared.forget();
    request++;
    const frame = new LazyFrame(meter);
    const matching: Rule[] = [];
    const take: Found<TestedRule<Rule>> = (found) => {
      for (let index = 0; index < found.length; index++) {
        const tested = found[index];
        if (tested === undefined) continue;
        if (tested.isRepeated) {
          if (tested.foundBy === request) continue;
          tested.foundBy = request;
        }
        if (areMet(tested.tests, bag, frame)) matching.push(tested.rule);
      }
    };
    tables.find(bag, take);
    return matching.length > 1 ? matching.sort(byPlace) : matching;
  };
}

function areMet(tests: readonly Test[], bag: AttributeReader, frame: Frame): boolean {
  for (let index = 0; index < tests.length; index++) {
    if (tests[index]?.(bag, frame) === false) return false;
  }
  return true;
}

function byPlace(a: IndexedRule, b: IndexedRule): number {
  return a.place - b.place;
}
