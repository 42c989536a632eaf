import { setImmediate } from 'node:timers/promises';
import test from 'ava';
import { createRepeatedWork } from '../../../src/webhooks/certificates/repeated-work.js';
import { createFakeClock } from '../../support/fake-clock.js';

function createRig(againMs?: number) {
  const clock = createFakeClock();
  const open: (() => void)[] = [];
  let done = 0;
  const work = createRepeatedWork(async () => {
    await new Promise<void>((resolve) => open.push(resolve));
    done += 1;
    return againMs;
  }, clock);
  return {
    clock,
    work,
    done: () => done,
    running: () => open.length,
    /** Ends the running work. */
    finish: async () => {
      open.shift()?.();
      await setImmediate();
    },
  };
}

test('several requests during a run cause one more run', async (t) => {
  const { work, finish, running, done } = createRig();
  for (let count = 0; count < 3; count++) work.request();
  t.is(running(), 1);
  work.request();
  await finish();
  t.is(running(), 1);
  await finish();
  t.is(running(), 0);
  t.is(done(), 2);
});

test('work runs again after its own delay, or earlier after a request', async (t) => {
  const { clock, work, finish, running } = createRig(1000);
  work.request();
  await finish();
  clock.advance(999);
  t.is(running(), 0);
  work.request();
  t.is(running(), 1);
  t.is(clock.timers, 0);
  await finish();
  clock.advance(1000);
  t.is(running(), 1);
});

test('stop waits for the present run, and none follows', async (t) => {
  const { clock, work, finish, running, done } = createRig(1000);
  work.request();
  work.request();
  let stopped = false;
  const stopping = work.stop().then(() => {
    stopped = true;
  });
  await setImmediate();
  t.false(stopped);
  await finish();
  await stopping;
  work.request();
  t.is(clock.timers, 0);
  t.is(running(), 0);
  t.is(done(), 1);
});
