import test from 'ava';
import { createRequestPace } from '../../src/xds/request-intake.js';
import { createFakeClock } from '../support/fake-clock.js';

test('ten times the rate is taken at once, and the next request waits for its place', (t) => {
  const clock = createFakeClock();
  const pace = createRequestPace(100, clock);
  for (let count = 0; count < 1_000; count++) t.is(pace.take(1), 0);
  t.is(pace.take(1), 10);
  t.is(pace.take(1), 20);
  clock.advance(1_000);
  t.is(pace.take(1), 0);
});

test('a costly request makes the next one wait longer', (t) => {
  const pace = createRequestPace(100, createFakeClock());
  t.is(pace.take(1_101), 1_010);
});
