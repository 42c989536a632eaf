import test from 'ava';
import { DependencyIndex } from '../../../src/model/registry/dependency-index.js';
import fc from '../../support/property-testing.js';

const CONSUMERS = ['web', 'cart', 'pay'];
const FACTS = ['a', 'b', 'c', 'd'];
const STEP = fc.record({
  consumer: fc.constantFrom(...CONSUMERS),
  facts: fc.array(fc.constantFrom(...FACTS), { maxLength: 6 }),
});

test('a fact has exactly the consumers that named it last', (t) => {
  fc.assert(
    fc.property(fc.array(STEP, { maxLength: 20 }), (steps) => {
      const index = new DependencyIndex();
      const named = new Map<string, ReadonlySet<string>>();
      for (const { consumer, facts } of steps) {
        index.set(consumer, facts);
        named.set(consumer, new Set(facts));
        for (const fact of FACTS) {
          const expected = CONSUMERS.filter((each) => named.get(each)?.has(fact));
          t.deepEqual([...index.serviceKeysOf(fact)].sort(), expected.sort());
        }
      }
    }),
  );
});
