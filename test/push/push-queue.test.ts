import test from 'ava';
import { systemClock } from '../../src/base/clock.js';
import { PendingWrites } from '../../src/push/pending-writes.js';
import { createPushQueue, type PushTarget } from '../../src/push/push-queue.js';
import type { PushShare } from '../../src/push/push-slots.js';
import { eventually } from '../support/eventually.js';
import { createFakeClock } from '../support/fake-clock.js';
import { createTickingClock } from '../support/ticking-clock.js';

interface ProbeTarget extends PushTarget {
  turns: number;
  flush(): void;
}

let targets = 0;

/** Each target is a peer of its own unless a share says otherwise. */
function createTarget(bytes = LARGE, share: Partial<PushShare> = {}): ProbeTarget {
  const peer = `peer-${++targets}`;
  let flush = (): void => undefined;
  return {
    share: { lane: 'plaintext', peer, source: peer, ...share },
    turns: 0,
    push() {
      this.turns++;
      const writes = new PendingWrites();
      writes.begin();
      flush = () => writes.end();
      return { bytes, writes };
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

test('while computations wait, a run of turns is shorter', async (t) => {
  const startedInOneRun = async (waiting: number): Promise<number> => {
    const small = Array.from({ length: 100 }, () => createTarget(1));
    const queue = createPushQueue(settings, createTickingClock(), { waiting });
    for (const target of small) queue.enqueue(target);
    await nextTurn();
    queue.stop();
    return started(small);
  };
  const [alone, beside] = [await startedInOneRun(0), await startedInOneRun(3)];
  t.true(beside > 0 && beside * 2 < alone, `${beside} turns beside computations, ${alone} without`);
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

test('turns that a socket accepts at once hold no proxy back', async (t) => {
  const queue = createPushQueue(settings, createFakeClock());
  const targets = Array.from({ length: 20 }, () => createTarget(100));
  for (const target of targets) queue.enqueue(target);
  await eventually('all turns', () => targets.every((target) => target.turns === 1));
  t.is(queue.waiting, 0);
});

const wide = { throttle: 40, byteBudget: 1_000 * LARGE, stallMs: 200 };
const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn++) await nextTurn();
};
const started = (targets: readonly ProbeTarget[]): number => targets.filter(({ turns }) => turns > 0).length;

test('plaintext proxies that do not read take no slot from authenticated ones', async (t) => {
  const queue = createPushQueue(wide, createFakeClock());
  const plaintext = Array.from({ length: 200 }, () => createTarget());
  const authenticated = Array.from({ length: 40 }, () => createTarget(LARGE, { lane: 'authenticated' }));
  for (const target of [...plaintext, ...authenticated]) queue.enqueue(target);
  await settled();
  t.is(started(plaintext), 40);
  t.is(started(authenticated), 40);
});

test('a peer whose streams do not read leaves a part of its lane to the others', async (t) => {
  const queue = createPushQueue(wide, createFakeClock());
  const share = { peer: '10.0.0.66' };
  const unread = Array.from({ length: 200 }, (_, index) => createTarget(LARGE, { ...share, source: `${index}` }));
  const others = Array.from({ length: 10 }, () => createTarget());
  for (const target of unread) queue.enqueue(target);
  await settled();
  t.is(started(unread), 30);
  for (const target of others) queue.enqueue(target);
  await settled();
  t.is(started(others), 10);
});

test('a peer that leaves writes unread gets fewer slots, and all of them back when it reads', async (t) => {
  const clock = createFakeClock();
  const queue = createPushQueue(wide, clock);
  const share = { peer: '10.0.0.66' };
  const targets = Array.from({ length: 100 }, (_, index) => createTarget(LARGE, { ...share, source: `${index}` }));
  for (const target of targets) queue.enqueue(target);
  await settled();
  t.is(started(targets), 30);
  clock.advance(200);
  await settled();
  // Thirty writes are unread: an eighth of the slots is left.
  t.is(started(targets), 35);
  for (const target of targets.slice(0, 35)) target.flush();
  await settled();
  t.is(started(targets), 65);
});

test('an unread write counts against its peer for five seconds', async (t) => {
  const clock = createFakeClock();
  const queue = createPushQueue(wide, clock);
  const first = Array.from({ length: 30 }, (_, index) => createTarget(LARGE, { peer: 'p', source: `${index}` }));
  for (const target of first) queue.enqueue(target);
  await settled();
  clock.advance(200);
  clock.advance(5_000);
  const second = Array.from({ length: 100 }, (_, index) =>
    createTarget(LARGE, { peer: 'p', source: `again-${index}` }),
  );
  for (const target of second) queue.enqueue(target);
  await settled();
  t.is(started(second), 30);
});

test('one connection or node takes half of a lane at most', async (t) => {
  const queue = createPushQueue(wide, createFakeClock());
  const share = { peer: '10.0.0.66' };
  const ofOne = Array.from({ length: 100 }, () => createTarget(LARGE, { ...share, source: 'one' }));
  const ofOthers = Array.from({ length: 5 }, (_, index) => createTarget(LARGE, { ...share, source: `${index}` }));
  for (const target of [...ofOne, ...ofOthers]) queue.enqueue(target);
  await settled();
  t.is(started(ofOne), 20);
  t.is(started(ofOthers), 5);
});

test('ten thousand waiting streams of one address do not put another address back', async (t) => {
  const queue = createPushQueue({ ...wide, throttle: 1_000 }, createFakeClock());
  const order: string[] = [];
  const record = (name: string, peer: string): PushTarget => ({
    share: { lane: 'plaintext', peer, source: name },
    push: () => {
      order.push(name);
      return { bytes: 0, writes: undefined };
    },
  });
  for (let index = 0; index < 10_000; index++) queue.enqueue(record(`many-${index}`, 'many'));
  queue.enqueue(record('one', 'other'));
  await eventually('all turns', () => order.length === 10_001);
  t.true(order.indexOf('one') < 2, `${order.indexOf('one')}`);
});
