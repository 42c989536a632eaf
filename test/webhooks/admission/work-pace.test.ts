import { setImmediate } from 'node:timers/promises';
import test from 'ava';
import { createWorkPace } from '../../../src/webhooks/admission/work-pace.js';
import { createFakeClock } from '../../support/fake-clock.js';

function createRig() {
  const clock = createFakeClock();
  const pace = createWorkPace(clock, clock.monotonicMs);
  const done: string[] = [];
  const never = new AbortController().signal;
  return {
    clock,
    done,
    /** Work that takes so long. */
    run: (name: string, takesMs: number, signal = never) =>
      pace.run(() => {
        clock.advance(takesMs);
        done.push(name);
        return name;
      }, signal),
  };
}

test('light work runs without rests', async (t) => {
  const { run, clock } = createRig();
  t.deepEqual(await Promise.all([run('a', 5), run('b', 20), run('c', 5)]), ['a', 'b', 'c']);
  t.is(clock.timers, 0);
});

test('after heavy work the next one waits as long as the work took', async (t) => {
  const { run, clock, done } = createRig();
  await run('heavy', 300);
  const next = run('next', 1);
  await setImmediate();
  clock.advance(299);
  await setImmediate();
  t.deepEqual(done, ['heavy']);
  clock.advance(1);
  t.is(await next, 'next');
});

test('each heavy work delays those that wait again', async (t) => {
  const { run, clock, done } = createRig();
  await run('first', 100);
  const all = [run('second', 100), run('third', 100)];
  await setImmediate();
  clock.advance(100);
  await setImmediate();
  t.deepEqual(done, ['first', 'second']);
  clock.advance(100);
  await Promise.all(all);
  t.deepEqual(done, ['first', 'second', 'third']);
});

test('work that is slow without using the processor is light', async (t) => {
  const clock = createFakeClock();
  const pace = createWorkPace(clock, () => 0);
  const { signal } = new AbortController();
  const waits = (): string => {
    clock.advance(300);
    return 'done';
  };
  t.deepEqual(await Promise.all([pace.run(waits, signal), pace.run(waits, signal)]), ['done', 'done']);
  t.is(clock.timers, 0);
});

test('by default the processor time of this process counts', async (t) => {
  const clock = createFakeClock();
  const pace = createWorkPace(clock);
  const { signal } = new AbortController();
  // Time goes on exactly as the processor is used.
  const works = (): void => {
    const start = process.cpuUsage().user;
    let used = 0;
    while (used < 60_000) used = process.cpuUsage().user - start;
    clock.advance(used / 1000);
  };
  await pace.run(works, signal);
  const next = pace.run(() => 'next', signal);
  await setImmediate();
  t.is(clock.timers, 1);
  clock.advance(10_000);
  t.is(await next, 'next');
});

test('light work without a processor stays light, also after other work', async (t) => {
  const clock = createFakeClock();
  let cpuMs = 0;
  const pace = createWorkPace(clock, () => cpuMs);
  const { signal } = new AbortController();
  const work = (usedMs: number, tookMs: number) => (): void => {
    cpuMs += usedMs;
    clock.advance(tookMs);
  };
  await pace.run(work(9, 9), signal);
  await pace.run(work(12, 25), signal);
  const next = pace.run(() => 'next', signal);
  await setImmediate();
  t.is(clock.timers, 0);
  t.is(await next, 'next');
});

test('the time of failed work counts too', async (t) => {
  const clock = createFakeClock();
  const pace = createWorkPace(clock, clock.monotonicMs);
  const { signal } = new AbortController();
  const fails = (): never => {
    clock.advance(50);
    throw new Error('broken');
  };
  await t.throwsAsync(pace.run(fails, signal), { message: 'broken' });
  const next = pace.run(() => 'next', signal);
  await setImmediate();
  t.is(clock.timers, 1);
  clock.advance(50);
  t.is(await next, 'next');
});

test('an aborted call does not run', async (t) => {
  const { run, clock, done } = createRig();
  await run('heavy', 300);
  const abort = new AbortController();
  const next = run('next', 1, abort.signal);
  await setImmediate();
  abort.abort();
  await t.throwsAsync(next, { message: 'the caller no longer waits' });
  t.is(clock.timers, 0);
  t.deepEqual(done, ['heavy']);
});
