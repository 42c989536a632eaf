import test from 'ava';
import { type BodyAccount, createBodyBudget } from '../../../src/webhooks/admission/body-budget.js';

interface Body extends BodyAccount {
  readonly name: string;
}

function createRig(maxBytes: number) {
  const budget = createBodyBudget(maxBytes);
  const cutOff: string[] = [];
  const open = (name: string, source: string, { isTrusted = false, isSmall = false } = {}): Body => ({
    name,
    ...budget.open({ caller: { source, isTrusted }, isSmall }, () => cutOff.push(name)),
  });
  return { open, cutOff };
}

test('callers without a certificate get three quarters, and their large bodies five eighths', (t) => {
  const { open } = createRig(800);
  const large = open('large', 'a');
  t.true(large.take(500));
  t.false(large.take(1));
  const small = open('small', 'a', { isSmall: true });
  large.complete();
  t.true(small.take(100));
  t.false(small.take(1));
  const trusted = open('trusted', 'b', { isTrusted: true });
  t.true(trusted.take(200));
});

test('a caller with a certificate gets the room of waiting bodies without one, but not of running reviews', (t) => {
  const { open, cutOff } = createRig(800);
  const running = open('running', 'a');
  running.take(250);
  running.complete();
  running.begin();
  const waiting = open('waiting', 'a');
  waiting.take(250);
  waiting.complete();
  const trusted = open('trusted', 'a', { isTrusted: true });
  t.true(trusted.take(550));
  t.deepEqual(cutOff, ['waiting']);
  t.false(trusted.take(1));
});

test('an incomplete body of the address that holds the most makes room first', (t) => {
  const { open, cutOff } = createRig(800);
  const [a1, a2, b] = [open('a1', 'a'), open('a2', 'a'), open('b', 'b')];
  t.true([a1.take(150), a2.take(150), b.take(200)].every(Boolean));
  t.true(open('c', 'c').take(100));
  t.deepEqual(cutOff, ['a1']);
});

test('a waiting body makes room only for an address that holds less', (t) => {
  const { open, cutOff } = createRig(800);
  for (const [name, bytes] of [
    ['a1', 250],
    ['a2', 250],
  ] as const) {
    const body = open(name, 'a');
    body.take(bytes);
    body.complete();
  }
  t.false(open('a3', 'a').take(100), 'the address has the whole share already');
  t.deepEqual(cutOff, []);
  t.true(open('b', 'b').take(100));
  t.deepEqual(cutOff, ['a1']);
});

test('released bytes are available to other bodies', (t) => {
  const { open } = createRig(800);
  const first = open('first', 'a');
  first.take(500);
  first.complete();
  first.begin();
  t.false(open('second', 'b').take(500));
  first.close();
  t.true(open('third', 'b').take(500));
});
