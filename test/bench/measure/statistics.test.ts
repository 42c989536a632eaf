import test from 'ava';
import { median, percentile, slopePerMinute, spreadOf } from '../../../bench/measure/statistics.js';

const HUNDRED = Array.from({ length: 100 }, (_, index) => 100 - index);

test('a percentile is the smallest value that so many percent do not exceed', (t) => {
  t.is(percentile(HUNDRED, 99), 99);
  t.is(percentile(HUNDRED, 100), 100);
  t.is(percentile(HUNDRED, 1), 1);
  t.is(percentile(HUNDRED, 0), 1);
  t.is(percentile([10, 20, 30, 40], 50), 20);
  t.is(percentile([10, 20, 30, 40], 51), 30);
});

test('the 99th percentile of few values is the largest', (t) => {
  t.is(percentile([3, 1, 2], 99), 3);
});

test('the median of an even number of values lies between the middle two', (t) => {
  t.is(median([4, 1, 3, 2]), 2.5);
  t.is(median([9, 1, 5]), 5);
  t.is(median([7]), 7);
});

test('without values there is no statistic', (t) => {
  t.is(percentile([], 50), Number.NaN);
  t.is(median([]), Number.NaN);
});

test('values are compared as numbers and left in their order', (t) => {
  const values = [10, 9, 100];
  t.deepEqual(spreadOf(values), { first: 9, median: 10, p99: 100, last: 100 });
  t.deepEqual(values, [10, 9, 100]);
});

test('the slope is that of the last two thirds, for each minute', (t) => {
  const points = Array.from({ length: 90 }, (_, second) => ({
    atMs: 5000 + second * 1000,
    value: second < 30 ? 0 : 300 + second,
  }));
  t.is(Math.round(slopePerMinute(points)), 60);
  t.is(slopePerMinute(points.map(({ atMs }) => ({ atMs, value: 300 }))), 0);
  t.is(slopePerMinute([]), Number.NaN);
});
