import test from 'ava';
import { createPushQueue, type PushTarget } from '../../src/push/push-queue.js';
import { systemClock } from '../../src/telemetry/clock.js';
import { eventually } from '../support/eventually.js';
import { createFakeClock } from '../support/fake-clock.js';

interface ProbeTarget extends PushTarget {
  turns: number;
  flush(): void;
}

function createTarget(bytes = LARGE): ProbeTarget {
  let flush = (): void => undefined;
  return {
    turns: 0,
    takeTurn() {
      this.turns++;
      const flushed = new Promise<void>((resolve) => {
        flush = resolve;
      });
      return { bytes, flushed };
    },
    flush: () => flush(),
  };
}

/** More than a socket takes at once. */
const LARGE = 100_000;

const settings = { throttle: 2, byteBudget: 10 * LARGE, stallMs: 200 };
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

test('a proxy that is enqueued many times takes one turn', async (t) => {
  const queue = createPushQueue(settings, systemClock);
  const target = createTarget();
  for (let count = 0; count < 5; count++) queue.enqueue(target);
  await eventually('the turn', () => target.turns > 0);
  await nextTurn();
  t.is(target.turns, 1);
  target.flush();
});

test('no more proxies than NAV_PUSH_THROTTLE are sent to before one of them is flushed', async (t) => {
  const queue = createPushQueue(settings, createFakeClock());
  const targets = [createTarget(), createTarget(), createTarget()];
  for (const target of targets) queue.enqueue(target);
  await eventually('two turns', () => targets.filter((target) => target.turns > 0).length === 2);
  await nextTurn();
  t.deepEqual(
    targets.map((target) => target.turns),
    [1, 1, 0],
  );
  targets[1]?.flush();
  await eventually('the third turn', () => targets[2]?.turns === 1);
});

test('unsent bytes above the budget hold back the next turn, whatever the throttle', async (t) => {
  const queue = createPushQueue({ throttle: 100, byteBudget: LARGE, stallMs: 200 }, createFakeClock());
  const targets = [createTarget(), createTarget()];
  for (const target of targets) queue.enqueue(target);
  await eventually('the first turn', () => targets[0]?.turns === 1);
  await nextTurn();
  t.is(targets[1]?.turns, 0);
  targets[0]?.flush();
  await eventually('the second turn', () => targets[1]?.turns === 1);
});

test('proxies that stall stop counting, so that the others go on', async (t) => {
  const clock = createFakeClock();
  const queue = createPushQueue(settings, clock);
  const stalled = [createTarget(), createTarget()];
  const healthy = createTarget();
  for (const target of [...stalled, healthy]) queue.enqueue(target);
  await eventually('both stalled turns', () => stalled.every((target) => target.turns === 1));
  await nextTurn();
  t.is(healthy.turns, 0);
  clock.advance(200);
  await eventually('the healthy turn', () => healthy.turns === 1);
  t.is(healthy.turns, 1);
});

test('a proxy that left takes no turn', async (t) => {
  const queue = createPushQueue(settings, systemClock);
  const [gone, stays] = [createTarget(), createTarget()];
  queue.enqueue(gone);
  queue.enqueue(stays);
  queue.remove(gone);
  await eventually('the turn', () => stays.turns === 1);
  t.is(gone.turns, 0);
  stays.flush();
});

test('turns that a socket takes at once hold nobody back', async (t) => {
  const queue = createPushQueue(settings, createFakeClock());
  const targets = Array.from({ length: 20 }, () => createTarget(100));
  for (const target of targets) queue.enqueue(target);
  await eventually('all turns', () => targets.every((target) => target.turns === 1));
  t.is(queue.waiting, 0);
});
