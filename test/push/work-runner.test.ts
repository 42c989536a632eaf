import test from 'ava';
import { inOneStep, shareSteps } from '../../src/base/steps.js';
import type { Work } from '../../src/push/work.js';
import { createWorkRunner } from '../../src/push/work-runner.js';
import { eventually } from '../support/eventually.js';
import { createTickingClock } from '../support/ticking-clock.js';

const owner = (peer: string, source = 'connection') => ({ peer, source });

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
      owner('a'),
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
    owner('a'),
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
      owner('many'),
      count(200, () => many++),
    );
  await runner.run(
    owner('one'),
    count(200, () => one++),
  );
  t.is(one, 200);
  t.true(many < 1_000, `${many}`);
  await eventually('all are done', () => runner.waiting === 0);
  t.is(many, 10_000);
});

test('work that fails rejects its promise, and other work goes on', async (t) => {
  const runner = createWorkRunner(createTickingClock());
  let steps = 0;
  const failing = function* (): Work<void> {
    for (let step = 0; step < 50; step++) yield;
    throw new Error('broken');
  };
  const failed = runner.run(owner('a'), failing());
  const good = runner.run(
    owner('b'),
    count(50, () => steps++),
  );
  await t.throwsAsync(Promise.resolve(failed), { message: 'broken' });
  await good;
  t.is(steps, 50);
});

test('work in turn is done at once while no other work waits and the turn of the event loop has time left', async (t) => {
  const runner = createWorkRunner(createTickingClock());
  const began: number[] = [];
  const begin = (index: number) => count(1, () => began.push(index));
  const finished = Array.from({ length: 20 }, (_, index) => runner.runInTurn(owner('a'), begin(index)));
  t.true(began.length > 0 && began.length < 10, `${began.length}`);
  t.is(finished.filter((each) => each === undefined).length, began.length);
  await Promise.all(finished);
  t.deepEqual(
    began,
    Array.from({ length: 20 }, (_, index) => index),
  );
  await new Promise((resolve) => setImmediate(resolve));
  t.is(runner.runInTurn(owner('a'), begin(20)), undefined);
});

test('work in turn of one peer does not wait for all that another peer has begun before it', async (t) => {
  const runner = createWorkRunner(createTickingClock());
  let many = 0;
  const all = Array.from({ length: 1_000 }, () =>
    runner.runInTurn(
      owner('many'),
      count(1, () => many++),
    ),
  );
  await runner.runInTurn(
    owner('one'),
    count(1, () => undefined),
  );
  t.true(many < 50, `${many}`);
  await Promise.all(all);
  t.is(many, 1_000);
});

test('behind one address, connections take turns', async (t) => {
  const runner = createWorkRunner(createTickingClock());
  let many = 0;
  for (let index = 0; index < 1_000; index++)
    void runner.runInTurn(
      owner('address', 'many'),
      count(1, () => many++),
    );
  await runner.runInTurn(
    owner('address', 'one'),
    count(1, () => undefined),
  );
  t.true(many < 50, `${many}`);
});

test('work in turn that fails at once throws, and later rejects', async (t) => {
  const runner = createWorkRunner(createTickingClock());
  const failing = function* (): Work<void> {
    yield;
    throw new Error('broken');
  };
  t.throws(() => runner.runInTurn(owner('a'), failing()), { message: 'broken' });
  void runner.run(
    owner('b'),
    count(50, () => undefined),
  );
  await t.throwsAsync(Promise.resolve(runner.runInTurn(owner('a'), failing())), { message: 'broken' });
});

test('shared work runs once, advanced by any reader, and all readers get its result', (t) => {
  let made = 0;
  const shared = shareSteps(
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
  t.is(inOneStep(second), 'result');
  t.is(inOneStep(first), 'result');
  t.is(made, 10);
});

test('shared work that fails does so for all of its readers', (t) => {
  const shared = shareSteps(
    // biome-ignore lint/correctness/useYield: it fails before its first pause
    (function* (): Work<string> {
      throw new Error('broken');
    })(),
  );
  t.throws(() => inOneStep(shared.follow()), { message: 'broken' });
  t.throws(() => inOneStep(shared.follow()), { message: 'broken' });
});

test('ordered computations of a peer are done one after another, those of two peers side by side', async (t) => {
  const runner = createWorkRunner(createTickingClock());
  const ended: string[] = [];
  const begun = { a: 0, b: 0 };
  const large = (peer: 'a' | 'b', index: number) =>
    (function* (): Work<void> {
      begun[peer]++;
      for (let step = 0; step < 100; step++) {
        const endedOfPeer = ended.filter((each) => each.startsWith(peer)).length;
        t.is(begun[peer], endedOfPeer + 1, 'no other one of the peer has begun');
        yield;
      }
      ended.push(`${peer}${index}`);
      if (index === 1) throw new Error('broken');
    })();
  const all = [0, 1, 2].flatMap((index) =>
    (['a', 'b'] as const).map((peer) => runner.run(owner(peer, `stream ${index}`), large(peer, index), true)),
  );
  const settled = await Promise.allSettled(all);
  for (const peer of ['a', 'b']) {
    const ofPeer = ended.filter((each) => each.startsWith(peer));
    t.deepEqual(ofPeer, [`${peer}0`, `${peer}1`, `${peer}2`]);
  }
  t.true(ended.indexOf('b0') < ended.indexOf('a1') && ended.indexOf('a1') < ended.indexOf('b2'), ended.join());
  t.deepEqual(
    settled.map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'rejected', 'rejected', 'fulfilled', 'fulfilled'],
  );
  t.is(
    runner.run(
      owner('a'),
      count(2, () => undefined),
      true,
    ),
    undefined,
  );
});
