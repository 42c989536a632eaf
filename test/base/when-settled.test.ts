import test from 'ava';
import { whenSettled } from '../../src/base/when-settled.js';

test('a value goes on at once, and a promise when it settles', async (t) => {
  t.is(
    whenSettled(1, (value) => value + 1),
    2,
  );
  const waited = whenSettled(Promise.resolve(1), (value) => value + 1);
  t.true(waited instanceof Promise);
  t.is(await waited, 2);
});

test('an error of the next step is thrown at once for a value, and rejects for a promise', async (t) => {
  const fail = (): never => {
    throw new Error('next');
  };
  t.throws(() => whenSettled(1, fail), { message: 'next' });
  await t.throwsAsync(async () => whenSettled(Promise.resolve(1), fail), { message: 'next' });
});
