import test from 'ava';
import { createBoundedMemo } from '../../../src/policy/server/bounded-memo.js';

test('the value of a key is remembered', (t) => {
  let made = 0;
  const memo = createBoundedMemo({ entries: 2, maxKeyLength: 10, characters: 100 }, (key) => `${key}${made++}`);
  t.is(memo('a'), 'a0');
  t.is(memo('a'), 'a0');
  t.is(memo('b'), 'b1');
});

test('used values stay, for any number of others', (t) => {
  let made = 0;
  const memo = createBoundedMemo({ entries: 2, maxKeyLength: 10, characters: 100 }, (key) => {
    made++;
    return key;
  });
  for (let index = 0; index < 1000; index++) {
    memo('often');
    memo(`rare${index}`);
  }
  t.is(made, 1001);
});

test('unused values are dropped', (t) => {
  const made: string[] = [];
  const memo = createBoundedMemo({ entries: 2, maxKeyLength: 10, characters: 100 }, (key) => made.push(key));
  for (const key of ['a', 'b', 'c', 'd', 'e', 'a']) memo(key);
  t.deepEqual(made, ['a', 'b', 'c', 'd', 'e', 'a']);
});

test('few long keys are remembered where there is room for many short ones', (t) => {
  const made: string[] = [];
  const memo = createBoundedMemo({ entries: 100, maxKeyLength: 10, characters: 20 }, (key) => made.push(key));
  for (const key of ['a', 'b', 'c', 'a']) memo(key);
  t.deepEqual(made, ['a', 'b', 'c']);
  for (const key of ['1', '2', '3', '4', '5', '6'].map((digit) => digit.repeat(10))) memo(key);
  memo('a');
  t.is(made.length, 10, 'callers with long keys fill no memory: what is not used goes');
});

test('values of long keys are computed each time', (t) => {
  let made = 0;
  const memo = createBoundedMemo({ entries: 2, maxKeyLength: 3, characters: 100 }, () => made++);
  memo('long key');
  memo('long key');
  memo('abc');
  memo('abc');
  t.is(made, 3);
});

test('a key that fails fails again, and can succeed later', (t) => {
  let isBroken = true;
  const memo = createBoundedMemo({ entries: 2, maxKeyLength: 10, characters: 100 }, (key) => {
    if (isBroken) throw new Error('broken');
    return key;
  });
  t.throws(() => memo('a'), { message: 'broken' });
  isBroken = false;
  t.is(memo('a'), 'a');
});
