import type { Frame } from '../../../expressions/compile/evaluate-node.js';
import type { Conjunct } from '../../../expressions/conditions/conjunct.js';
import type { AttributeReader } from '../../../expressions/expression-types.js';

/** Whether a conjunct is true for a request. */
export type Test = (bag: AttributeReader, frame: Frame) => boolean;

/** Tests of conjuncts, of which those that several rules have are evaluated once for each request. */
export interface SharedTests {
  /**
   * The tests of conjuncts. Shared ones that spend nothing of the meter come first, because their result is often known; the
   * others keep their order, so that one can guard an expensive one.
   */
  testsOf(this: void, conjuncts: readonly Conjunct[]): readonly Test[];
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

  const testOf = ({ key, matches }: Conjunct): Test => {
    const number = numbers.get(key);
    if (number === undefined) return matches;
    return (bag, frame) => {
      const known = results[number];
      if (known !== UNKNOWN) return known === TRUE;
      const result = matches(bag, frame);
      results[number] = result ? TRUE : FALSE;
      return result;
    };
  };
  const isEarly = ({ key, isMetered }: Conjunct): boolean => !isMetered && numbers.has(key);

  return {
    testsOf: (conjuncts) => {
      const early = conjuncts.filter(isEarly);
      return [...early, ...conjuncts.filter((each) => !isEarly(each))].map(testOf);
    },
    forget: () => {
      results.fill(UNKNOWN);
    },
  };
}
