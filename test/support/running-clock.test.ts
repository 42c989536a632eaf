import { setTimeout as delay } from 'node:timers/promises';
import test from 'ava';
import { createRunningClock } from './running-clock.js';

/** As a process that is not scheduled: nothing of it runs. */
function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

test('a running clock counts the time of waits', async (t) => {
  const clock = createRunningClock();
  t.teardown(clock.stop);
  await delay(90);
  // A timer may fire up to a millisecond early.
  t.true(clock.nowMs() >= 89);
});

test('a running clock counts a tenth of a second while its process does not run, and tells what it left out', (t) => {
  const clock = createRunningClock();
  t.teardown(clock.stop);
  const before = clock.leftOut;
  const startMs = clock.nowMs();
  block(500);
  t.is(Math.round(clock.nowMs() - startMs), 100);
  block(300);
  const { totalMs, longestMs } = clock.leftOut;
  t.true(totalMs - before.totalMs >= 599);
  t.true(longestMs >= 399 && longestMs < totalMs);
});
