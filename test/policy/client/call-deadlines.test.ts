import test from 'ava';
import { createCallDeadlines } from '../../../src/policy/client/transport-call.js';
import { createFakeClock } from '../../support/fake-clock.js';

test('each call expires when its own time is over, with one timer for all', (t) => {
  const clock = createFakeClock();
  const deadlines = createCallDeadlines(clock, 100);
  const expired: string[] = [];
  deadlines.add(() => expired.push('a'));
  clock.advance(60);
  deadlines.add(() => expired.push('b'));
  t.is(clock.timers, 1);
  clock.advance(40);
  t.deepEqual(expired, ['a']);
  clock.advance(59);
  t.deepEqual(expired, ['a']);
  clock.advance(1);
  t.deepEqual(expired, ['a', 'b']);
  t.is(clock.timers, 0);
});

test('a call that has ended does not expire, and the last one to end stops the timer', (t) => {
  const clock = createFakeClock();
  const deadlines = createCallDeadlines(clock, 100);
  const expired: string[] = [];
  const endFirst = deadlines.add(() => expired.push('first'));
  const endSecond = deadlines.add(() => expired.push('second'));
  endFirst();
  endFirst();
  t.is(clock.timers, 1);
  clock.advance(99);
  endSecond();
  t.is(clock.timers, 0);
  clock.advance(1000);
  t.deepEqual(expired, []);
});

test('a call that begins while another expires has its own full time', (t) => {
  const clock = createFakeClock();
  const deadlines = createCallDeadlines(clock, 100);
  const expired: string[] = [];
  deadlines.add(() => {
    expired.push('first');
    deadlines.add(() => expired.push('second'));
  });
  clock.advance(100);
  t.deepEqual(expired, ['first']);
  clock.advance(99);
  t.deepEqual(expired, ['first']);
  clock.advance(1);
  t.deepEqual(expired, ['first', 'second']);
});
