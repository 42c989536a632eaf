import test from 'ava';
import { replaceSorted } from '../../src/model/sorted-array.js';
import fc from '../support/property-testing.js';

const compare = (first: number, second: number): number => first - second;
const numbers = fc.uniqueArray(fc.integer({ min: 0, max: 50 }));

test('the result equals a complete sort', (t) => {
  fc.assert(
    fc.property(numbers, numbers, numbers, (start, removed, added) => {
      const sorted = start.toSorted(compare);
      const kept = sorted.filter((item) => !removed.includes(item));
      const news = added.filter((item) => !kept.includes(item));
      const expected = [...kept, ...news].sort(compare);
      t.deepEqual(replaceSorted(sorted, new Set(removed), news, compare), expected);
    }),
  );
});

test('nothing to do gives the same array', (t) => {
  const sorted = [1, 2];
  t.is(replaceSorted(sorted, new Set<number>(), [], compare), sorted);
});
