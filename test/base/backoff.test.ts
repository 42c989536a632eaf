import test from 'ava';
import { createBackoff } from '../../src/base/backoff.js';

test('waits double up to the longest, and begin anew after a reset', (t) => {
  const backoff = createBackoff({ initialMs: 100, maxMs: 500, random: () => 1 });
  t.deepEqual(
    [1, 2, 3, 4, 5].map(() => backoff.nextMs()),
    [100, 200, 400, 500, 500],
  );
  backoff.reset();
  t.is(backoff.nextMs(), 100);
});

test('each wait has jitter of up to its half', (t) => {
  t.is(createBackoff({ initialMs: 100, maxMs: 500, random: () => 0 }).nextMs(), 50);
  t.is(createBackoff({ initialMs: 100, maxMs: 500, random: () => 0.5 }).nextMs(), 75);
});
