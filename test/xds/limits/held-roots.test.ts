import test from 'ava';
import { describeHeld } from '../../../src/xds/limits/held-roots.js';
import { createPeers } from '../../../src/xds/limits/peers.js';
import { LIMITS } from '../session-rig.js';

test('the bytes of a peer are those that its streams keep after any order of changes', (t) => {
  const peers = createPeers(LIMITS);
  const stream = peers.open({ lane: 'plaintext', name: '10.0.0.1', connection: '10.0.0.1:1' });
  const roots = [1, 20, 300, 4_000, 50_000].map((bytes) => Buffer.alloc(bytes));
  const fields: (Buffer | undefined)[] = [undefined, undefined, undefined];
  // Some fields keep the same object, and some steps keep what the field has already.
  for (let step = 0; step < 200; step++) {
    const field = step % fields.length;
    fields[field] = stream.replace(fields[field], roots[(step * 7) % 11]);
    t.is(peers.heldBytes, bytesOf(fields));
  }
  for (const each of fields) stream.replace(each, undefined);
  t.is(peers.heldBytes, 0);
});

/** Bytes of objects, each counted once. */
function bytesOf(objects: readonly (Buffer | undefined)[]): number {
  return [...new Set(objects)].reduce((sum, object) => sum + (object?.length ?? 0), 0);
}

test('a closed stream counts nothing any more', (t) => {
  const peers = createPeers(LIMITS);
  const stream = peers.open({ lane: 'plaintext', name: '10.0.0.1', connection: '10.0.0.1:1' });
  stream.close();
  stream.replace(undefined, Buffer.alloc(10));
  t.is(peers.heldBytes, 0);
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
