import type { MatchMeter } from '../../../config/regex/match-meter.js';
import type { Conjunct } from '../../../expressions/conditions/conjunct.js';
import type { AttributeReader } from '../../../expressions/expression-types.js';

/** Whether a conjunct is true for a request. */
export type Test = (bag: AttributeReader, meter: MatchMeter) => boolean;

/** Tests of conjuncts, of which those that several rules have are evaluated once for each request. */
export interface SharedTests {
  testOf(this: void, conjunct: Conjunct): Test;
  /** Begins the next request. */
  forget(): void;
}

const UNKNOWN = 0;
const TRUE = 1;
const FALSE = 2;

/** @param rules the conjuncts of each rule */
export function createSharedTests(rules: readonly (readonly Conjunct[])[]): SharedTests {
  const uses = new Map<string, number>();
  for (const conjuncts of rules) {
    for (const { key } of conjuncts) uses.set(key, (uses.get(key) ?? 0) + 1);
  }
  const numbers = new Map<string, number>();
  for (const [key, count] of uses) if (count > 1) numbers.set(key, numbers.size);
  const results = new Uint8Array(numbers.size);

  return {
    testOf: ({ key, matches }) => {
      const number = numbers.get(key);
      if (number === undefined) return matches;
      return (bag, meter) => {
        const known = results[number];
        if (known !== UNKNOWN) return known === TRUE;
        const result = matches(bag, meter);
        results[number] = result ? TRUE : FALSE;
        return result;
      };
    },
    forget: () => {
      results.fill(UNKNOWN);
    },
  };
}
