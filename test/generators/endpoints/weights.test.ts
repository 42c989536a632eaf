import test from 'ava';
import { fitWeights } from '../../../src/generators/endpoints/load-assignment.js';
import fc from '../../support/property-testing.js';

const weigh = (...weights: number[]) => weights.map((weight) => ({ weight }));

test('weights that Envoy accepts are left alone', (t) => {
  const items = weigh(1, 4, 4_294_967_290);
  t.is(fitWeights(items), items);
});

test('a weight of 0 counts as 1', (t) => {
  t.deepEqual(fitWeights(weigh(0, 3)), weigh(1, 3));
});

test('whatever the weights, their sum fits 32 bits and each is a whole number of at least 1', (t) => {
  const weight = fc.oneof(fc.integer({ min: 0, max: 4_294_967_295 }), fc.double({ min: 0, max: 1e15, noNaN: true }));
  t.notThrows(() =>
    fc.assert(
      fc.property(fc.array(weight, { maxLength: 50 }), (weights) => {
        const fitted = fitWeights(weigh(...weights)).map((item) => item.weight);
        t.true(fitted.every((value) => Number.isInteger(value) && value >= 1));
        t.true(fitted.reduce((sum, value) => sum + value, 0) <= 4_294_967_295);
      }),
    ),
  );
});

test('weights that are scaled down keep their shares', (t) => {
  const [first, second] = fitWeights(weigh(4_294_967_295, 2_147_483_647)).map(({ weight }) => weight);
  t.true(Math.abs((first ?? 0) / (second ?? 1) - 2) < 1e-6);
});
