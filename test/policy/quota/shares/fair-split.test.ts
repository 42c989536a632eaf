import test from 'ava';
import { splitFairly } from '../../../../src/policy/quota/shares/fair-split.js';
import fc from '../../../support/property-testing.js';

const partsOf = (amount: number, demands: readonly number[]): readonly number[] => {
  const { partOf } = splitFairly(amount, demands);
  return demands.map(partOf);
};

test('small demands are met, and large ones get equal parts', (t) => {
  t.deepEqual(partsOf(100, [10, 50, 70]), [10, 45, 45]);
  t.deepEqual(partsOf(0, [10, 50]), [0, 0]);
});

test('an unknown demand counts as an equal part', (t) => {
  t.deepEqual(partsOf(90, [12, 39, Number.POSITIVE_INFINITY]), [15, 42, 33]);
  t.deepEqual(partsOf(90, [12, 60, Number.POSITIVE_INFINITY]), [12, 48, 30]);
});

test('what no demand needs is divided equally', (t) => {
  t.deepEqual(partsOf(100, [10, 30]), [40, 60]);
  t.deepEqual(partsOf(100, [0]), [100]);
});

test('the parts of any demands add up to the amount, and no larger demand gets less', (t) => {
  const demand = fc.oneof(fc.nat({ max: 1000 }), fc.constant(Number.POSITIVE_INFINITY));
  fc.assert(
    fc.property(fc.nat({ max: 10_000 }), fc.array(demand, { minLength: 1, maxLength: 20 }), (amount, demands) => {
      const parts = partsOf(amount, demands);
      t.true(Math.abs(parts.reduce((sum, part) => sum + part, 0) - amount) < 1e-6);
      for (const [index, one] of demands.entries()) {
        for (const [at, other] of demands.entries()) {
          if (one <= other && Number.isFinite(other)) t.true((parts[index] ?? 0) <= (parts[at] ?? 0) + 1e-9);
        }
      }
    }),
  );
});
