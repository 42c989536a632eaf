import test from 'ava';
import { inOneStep } from '../../src/base/steps.js';
import { sortNames } from '../../src/push/name-set.js';
import fc from '../support/property-testing.js';

const sorted = (names: readonly string[]): readonly string[] => [...new Set(names)].sort();

test('names of any number are sorted, each once', (t) => {
  const names = fc.array(fc.string({ maxLength: 4 }), { maxLength: 20_000, size: 'max' });
  fc.assert(
    fc.property(names, (list) => {
      t.deepEqual(inOneStep(sortNames(list)), sorted(list));
    }),
    { numRuns: 30 },
  );
});

test('a long list that is sorted already is taken as it is', (t) => {
  const list = sorted(Array.from({ length: 10_000 }, (_, index) => `name-${index}`));
  t.is(inOneStep(sortNames(list)), list);
  t.deepEqual(inOneStep(sortNames([...list, list[0] as string])), list);
});

test('a long list is sorted with pauses', (t) => {
  const work = sortNames(Array.from({ length: 50_000 }, (_, index) => `name-${(index * 7919) % 50_000}`));
  let pauses = 0;
  while (work.next().done !== true) pauses++;
  t.true(pauses > 50);
});
