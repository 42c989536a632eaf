import test from 'ava';
import { inOneStep } from '../../../src/base/steps.js';
import { readAnswer, readDeltaRequest } from '../../../src/xds/delta/delta-request-wire.js';
import { readResourceNames } from '../../../src/xds/request-wire.js';
import fc from '../../support/property-testing.js';
import { deltaRequest } from './delta-messages.js';

/** Lengths around those that take one more byte to encode. */
const LENGTHS = [0, 1, 127, 128, 16_383, 16_384];
const name = fc.oneof(
  fc.string({ maxLength: 40 }),
  fc.constantFrom(...LENGTHS).map((length) => 'n'.repeat(length)),
);

test('the lists of a request are those that were encoded, whatever the lengths of the names', (t) => {
  fc.assert(
    fc.property(fc.array(name), fc.array(name), fc.dictionary(name, name), (subscribe, unsubscribe, versions) => {
      const bytes = deltaRequest({ node: 'n', typeUrl: 'type', subscribe, unsubscribe, versions, nonce: '1' });
      const read = readDeltaRequest(bytes, () => 1_000);
      t.deepEqual([...inOneStep(readResourceNames(read.subscribe))], subscribe);
      t.deepEqual([...inOneStep(readResourceNames(read.unsubscribe))], unsubscribe);
      t.is(read.names, subscribe.length + unsubscribe.length + Object.keys(versions).length);
      t.is(read.responseNonce, '1');
      t.true(Buffer.from(read.versions).equals(deltaRequest({ versions })));
    }),
    { numRuns: 50 },
  );
});

test('a request that ends within a name is refused', (t) => {
  for (const length of LENGTHS.filter((each) => each > 0)) {
    const bytes = deltaRequest({ subscribe: ['n'.repeat(length)] });
    t.throws(() => readDeltaRequest(bytes.subarray(0, -1), () => 10));
  }
  t.throws(() => readDeltaRequest(Buffer.from([0x1a]), () => 10));
  t.throws(() => readDeltaRequest(Buffer.from([0x1a, 0x80]), () => 10));
});

test('a request with nothing but a type, a nonce and a node is an acknowledgement', (t) => {
  const answer = { typeUrl: 'type', nonce: '7' };
  t.deepEqual(readAnswer(deltaRequest(answer)), answer);
  t.deepEqual(readAnswer(deltaRequest({ ...answer, node: 'n'.repeat(300) })), answer);
  for (const more of [{ subscribe: ['a'] }, { unsubscribe: ['a'] }, { versions: { a: '1' } }, { error: 'no' }]) {
    t.is(readAnswer(deltaRequest({ ...answer, ...more })), undefined);
  }
  t.is(readAnswer(deltaRequest({ typeUrl: 'type' })), undefined);
  t.is(readAnswer(deltaRequest(answer).subarray(0, -1)), undefined);
});

test('a request with thousands of other fields is refused before they are read', (t) => {
  const fields = Buffer.alloc(2_002, Buffer.from([0x78, 1]));
  t.throws(() => readDeltaRequest(fields, () => 10), { message: /more than 1000 fields/ });
  t.notThrows(() => readDeltaRequest(fields.subarray(2), () => 10));
});
