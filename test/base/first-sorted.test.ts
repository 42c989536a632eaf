import test from 'ava';
import fc from 'fast-check';
import { firstSorted } from '../../src/base/first-sorted.js';

const compare = (first: readonly number[], second: readonly number[]): number => (first[0] ?? 0) - (second[0] ?? 0);

test('the first items of a list are those of the sorted list, equal ones in their order', (t) => {
  const items = fc.array(fc.nat(20)).map((numbers) => numbers.map((number, index) => [number, index]));
  fc.assert(
    fc.property(items, fc.integer({ min: 1, max: 8 }), (all, most) => {
      t.deepEqual(firstSorted(all, most, compare), all.toSorted(compare).slice(0, most));
    }),
  );
});
