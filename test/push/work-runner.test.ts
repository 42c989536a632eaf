import test from 'ava';
import { finish, shareWork, type Work } from '../../src/push/work.js';
import { createWorkRunner } from '../../src/push/work-runner.js';
import type { Clock } from '../../src/telemetry/clock.js';
import { eventually } from '../support/eventually.js';

/** Each look at the clock takes a millisecond. */
function createTickingClock(): Clock {
  let nowMs = 0;
  return { monotonicMs: () => nowMs++, now: () => new Date(0), schedule: () => () => undefined };
}

function* count(steps: number, onStep: () => void): Work<void> {
  for (let step = 0; step < steps; step++) {
    onStep();
    yield;
  }
}

test('work that fits into the first slice is done at once', (t) => {
  const runner = createWorkRunner(createTickingClock());
  let steps = 0;
  t.is(
    runner.run(
      'a',
      count(2, () => steps++),
    ),
    undefined,
  );
  t.is(steps, 2);
  t.is(runner.waiting, 0);
});

test('longer work goes on in later turns of the event loop, and settles its promise', async (t) => {
  const runner = createWorkRunner(createTickingClock());
  let steps = 0;
  const finished = runner.run(
    'a',
    count(100, () => steps++),
  );
  t.true(steps < 10);
  t.is(runner.waiting, 1);
  await finished;
  t.is(steps, 100);
  t.is(runner.waiting, 0);
});

test('an owner with many computations gets no more time than one with a single one', async (t) => {
  const runner = createWorkRunner(createTickingClock());
  let many = 0;
  let one = 0;
  for (let index = 0; index < 50; index++)
    void runner.run(
      'many',
      count(200, () => many++),
    );
  await runner.run(
    'one',
    count(200, () => one++),
  );
  t.is(one, 200);
  t.true(many < 1_000, `${many}`);
  await eventually('all are done', () => runner.waiting === 0);
  t.is(many, 10_000);
});

test('what fails rejects, and the others go on', async (t) => {
  const runner = createWorkRunner(createTickingClock());
  let steps = 0;
  const failing = function* (): Work<void> {
    for (let step = 0; step < 50; step++) yield;
    throw new Error('broken');
  };
  const failed = runner.run('a', failing());
  const good = runner.run(
    'b',
    count(50, () => steps++),
  );
  await t.throwsAsync(Promise.resolve(failed), { message: 'broken' });
  await good;
  t.is(steps, 50);
});

test('shared work is done once, whoever moves it on, and all of its readers get its result', (t) => {
  let made = 0;
  const shared = shareWork(
    (function* () {
      for (let step = 0; step < 10; step++) {
        made++;
        yield;
      }
      return 'result';
    })(),
  );
  const [first, second] = [shared.follow(), shared.follow()];
  first.next();
  second.next();
  first.next();
  t.is(finish(second), 'result');
  t.is(finish(first), 'result');
  t.is(made, 10);
});

test('shared work that fails does so for all of its readers', (t) => {
  const shared = shareWork(
    // biome-ignore lint/correctness/useYield: it fails before its first pause
    (function* (): Work<string> {
      throw new Error('broken');
    })(),
  );
  t.throws(() => finish(shared.follow()), { message: 'broken' });
  t.throws(() => finish(shared.follow()), { message: 'broken' });
});
