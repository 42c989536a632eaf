import test from 'ava';
import { describeHeld, type HeldRoot, HeldRoots } from '../../../src/xds/limits/held-roots.js';
import { createPeers } from '../../../src/xds/limits/peers.js';
import { LIMITS } from '../session-rig.js';

const tell =
  (...roots: HeldRoot[]) =>
  (add: (root: HeldRoot) => void) =>
    roots.forEach(add);

test('a stream that keeps the same objects as before reports no change', (t) => {
  const held = new HeldRoots();
  const [first, second] = [Buffer.alloc(10), Buffer.alloc(20)];
  t.deepEqual(
    held.update(tell(first, second))?.map(({ bytes }) => bytes),
    [10, 20],
  );
  t.is(held.update(tell(first, second, first)), undefined);
  t.deepEqual(
    held.update(tell(second))?.map(({ bytes }) => bytes),
    [20],
  );
  t.deepEqual(held.update(tell()), []);
  t.is(held.update(tell()), undefined);
});

test('an object that a stream keeps holding stays the same counted object', (t) => {
  const held = new HeldRoots();
  const names = { key: 'k', bytes: Buffer.alloc(30), count: 1, set: { id: 'i', names: ['a'], characters: 1 } };
  const before = held.update(tell(names)) ?? [];
  const after = held.update(tell(Buffer.alloc(5), names)) ?? [];
  t.deepEqual(after.slice(1), before);
  t.is(after[1], before[0]);
  t.is(after[2], before[1]);
});

test('the bytes of a peer are those that its streams keep after any order of changes', (t) => {
  const peers = createPeers(LIMITS);
  const stream = peers.open({ lane: 'plaintext', name: '10.0.0.1', connection: '10.0.0.1:1' });
  const held = new HeldRoots();
  const roots = [1, 20, 300, 4_000, 50_000].map((bytes) => Buffer.alloc(bytes));
  // Every subset of them, in an order that adds and removes several at once.
  for (let step = 0; step < 64; step++) {
    const kept = roots.filter((_, index) => ((step * 11) >> index) % 2 === 1);
    const objects = held.update(tell(...kept));
    if (objects !== undefined) stream.hold(objects);
    t.is(
      peers.heldBytes,
      kept.reduce((sum, { length }) => sum + length, 0),
    );
  }
});

test('a message counts by its long pieces, and a list of names with its bytes', (t) => {
  const long = Buffer.alloc(5_000);
  const message = { pieces: [Buffer.alloc(10), long], byteLength: 5_010 };
  t.deepEqual(describeHeld(message), [{ object: long, bytes: 5_000 }]);
  const set = { id: 'i', names: ['abc'], characters: 3 };
  const [only, none] = describeHeld({ key: 'k', bytes: undefined, count: 1, set });
  t.is(only?.object, set);
  t.true((only?.bytes ?? 0) > 3);
  t.is(none, undefined);
});
