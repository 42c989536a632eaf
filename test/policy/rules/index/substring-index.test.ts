import test from 'ava';
import { SubstringIndex } from '../../../../src/policy/rules/index/substring-index.js';
import fc from '../../../support/property-testing.js';

const text = (maxLength: number) => fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength });

test('an index of texts finds each of those that a text contains once', (t) => {
  let found = 0;
  fc.assert(
    fc.property(fc.uniqueArray(text(5), { maxLength: 30 }), fc.array(text(20), { maxLength: 5 }), (given, wholes) => {
      const texts = given.filter((each) => each !== '');
      const index = new SubstringIndex(new Map(texts.map((each) => [each, each])));
      for (const whole of wholes) {
        const actual: string[] = [];
        index.visit(whole, (each) => actual.push(each));
        t.deepEqual(actual.sort(), texts.filter((each) => whole.includes(each)).sort());
        found += actual.length;
      }
    }),
    { numRuns: 500 },
  );
  t.true(found > 500);
});
