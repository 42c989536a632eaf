import test from 'ava';
import { createBackgroundLane } from '../../src/base/background-lane.js';
import type { Steps } from '../../src/base/steps.js';
import { createFakeClock } from '../support/fake-clock.js';

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('computations take their share of the time, one after the other, and owners take turns', async (t) => {
  const clock = createFakeClock();
  const lane = createBackgroundLane(clock, 0.1);
  const order: string[] = [];
  function* work(name: string, steps: number): Steps<string> {
    for (let n = 0; n < steps; n++) {
      clock.advance(1);
      yield;
    }
    order.push(name);
    return name;
  }
  const works = ['a1', 'a2', 'a3', 'b1'].map((name) => lane.run(name.slice(0, 1), work(name, 10)));
  let done = false;
  const results = Promise.all(works).then((values) => {
    done = true;
    return values;
  });
  while (!done) {
    await nextTurn();
    clock.advance(1);
  }
  t.deepEqual(await results, ['a1', 'a2', 'a3', 'b1']);
  t.deepEqual(order, ['a1', 'a2', 'b1', 'a3']);
  const busyMs = 40;
  t.true(clock.monotonicMs() >= busyMs * 9, `${clock.monotonicMs()}`);
  t.true(clock.monotonicMs() <= busyMs * 14, `${clock.monotonicMs()}`);
});

test('a computation that throws rejects, and the next one runs', async (t) => {
  const clock = createFakeClock();
  const lane = createBackgroundLane(clock, 0.1);
  function* broken(): Steps<void> {
    yield;
    throw new Error('broken');
  }
  const first = lane.run('a', broken());
  const second = lane.run(
    'a',
    (function* () {
      yield;
      return 2;
    })(),
  );
  const outcomes = Promise.allSettled([first, second]);
  for (let n = 0; n < 5; n++) {
    await nextTurn();
    clock.advance(1);
  }
  const [failed, ended] = await outcomes;
  t.is(failed.status === 'rejected' && failed.reason.message, 'broken');
  t.deepEqual(ended, { status: 'fulfilled', value: 2 });
});
