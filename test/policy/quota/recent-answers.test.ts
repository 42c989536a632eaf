import test from 'ava';
import { createFingerprint } from '../../../src/policy/quota/memory/fingerprint.js';
import { createRecentAnswers } from '../../../src/policy/quota/memory/recent-answers.js';
import type { ChargeResult } from '../../../src/policy/quota/quota-store.js';
import { collectGarbage } from '../../support/collect-garbage.js';
import { createFakeClock } from '../../support/fake-clock.js';

const resultOf = (granted: number): ChargeResult => ({ granted, isCharged: true, validMs: 1000, left: 5, resetMs: 7 });

function heapBytes(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

function setUp(maxAnswers: number, firstAnswers = maxAnswers) {
  const clock = createFakeClock();
  return { clock, answers: createRecentAnswers({ clock, keptMs: 60_000, maxAnswers, firstAnswers }) };
}

test('an answer is found with all that it said', (t) => {
  const { answers } = setUp(100);
  const results: readonly ChargeResult[] = [
    { granted: 3, isCharged: true, validMs: 59_999.5, left: 1, resetMs: 2 },
    { granted: 0, isCharged: false, validMs: 7, left: 0, resetMs: 3, retryAfterMs: 0 },
    { granted: 2 ** 53 - 1, isCharged: false, validMs: 0, left: 2 ** 53 - 1, resetMs: 0, retryAfterMs: 12_345 },
  ];
  answers.add('a', results);
  answers.add('none', []);
  t.deepEqual(answers.find('a'), results);
  t.deepEqual(answers.find('none'), []);
  t.is(answers.find('b'), undefined);
});

test('at least half of the answers are kept, and each key finds its own', (t) => {
  const { answers } = setUp(1000);
  for (let index = 0; index < 10_000; index++) {
    answers.add(`key-${index}`, [resultOf(index)]);
    const kept = Math.max(0, index - 499);
    t.is(answers.find(`key-${kept}`)?.[0]?.granted, kept);
    if (index >= 1000) t.is(answers.find(`key-${index - 1000}`), undefined);
  }
});

test('memory that grows with the answers keeps those that it had', (t) => {
  const { answers } = setUp(1000, 4);
  for (let index = 0; index < 3000; index++) {
    answers.add(`key-${index}`, [resultOf(index), { ...resultOf(1), retryAfterMs: index }]);
    const kept = Math.max(0, index - 499);
    t.is(answers.find(`key-${kept}`)?.[0]?.granted, kept);
    t.is(answers.find(`key-${kept}`)?.[1]?.retryAfterMs, kept);
    if (index >= 1000) t.is(answers.find(`key-${index - 1000}`), undefined);
  }
});

test('an answer that is given anew replaces the one that has expired', (t) => {
  const { clock, answers } = setUp(100);
  answers.add('a', [resultOf(1)]);
  clock.advance(60_000);
  t.is(answers.find('a'), undefined);
  answers.add('a', [resultOf(2)]);
  t.is(answers.find('a')?.[0]?.granted, 2);
  answers.add('a', [resultOf(3)]);
  t.is(answers.find('a')?.[0]?.granted, 3);
});

test('answers with many results are kept, fewer of them', (t) => {
  const { answers } = setUp(100);
  const many = Array.from({ length: 10_000 }, (_, index) => resultOf(index));
  answers.add('a', many);
  answers.add('b', many);
  t.deepEqual(answers.find('a'), many);
  t.deepEqual(answers.find('b'), many);
});

test('100,000 answers leave no objects behind', (t) => {
  const { answers } = setUp(65_536);
  const before = heapBytes();
  for (let index = 0; index < 100_000; index++) answers.add(`request-${index}-${'x'.repeat(200)}`, [resultOf(index)]);
  const after = heapBytes();
  t.true(after - before < 2_000_000, `${after - before} bytes`);
  t.is(answers.find(`request-99999-${'x'.repeat(200)}`)?.[0]?.granted, 99_999);
});

test('a fingerprint depends on every character, the length, and the key', (t) => {
  const fingerprintOf = createFingerprint([1, 2]);
  const text = (value: string, of = fingerprintOf) => {
    const { high, low } = of(value);
    return `${high}/${low}`;
  };
  const texts = [
    '',
    '\0',
    '\0\0',
    'a',
    'b',
    'ab',
    'ba',
    'abc',
    'abcd',
    'abce',
    'bbcd',
    'a\u{1f600}',
    '\ud800',
    '\udc00',
  ];
  t.is(new Set(texts.map((each) => text(each))).size, texts.length);
  t.is(text('abcd'), text(['ab', 'cd'].join('')));
  t.not(text('abcd'), text('abcd', createFingerprint([1, 3])));
  t.not(text('abcd'), text('abcd', createFingerprint([2, 2])));
});
