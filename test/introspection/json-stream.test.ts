import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import test from 'ava';
import { type Clock, systemClock } from '../../src/base/clock.js';
import { JsonList, JsonRecord, type JsonSource, jsonPieces } from '../../src/introspection/json-source.js';
import { chunkPieces, streamChunks } from '../../src/introspection/json-stream.js';
import { createRenderTurns } from '../../src/introspection/render-turns.js';
import fc from '../support/property-testing.js';

/** The same value as lists and records that are made on demand. */
function lazy(value: unknown): JsonSource {
  if (Array.isArray(value)) return new JsonList(value.map(lazy));
  if (typeof value !== 'object' || value === null) return value as JsonSource;
  return new JsonRecord(Object.entries(value).map(([key, item]) => [key, lazy(item)]));
}

test('a value that is made on demand prints like the same value made at once', (t) => {
  fc.assert(
    fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
      const plain = JSON.parse(JSON.stringify(value));
      const text = [...jsonPieces(lazy(plain))].join('');
      t.is(text, JSON.stringify(plain, null, 2));
    }),
  );
});

test('a plain value inside a list is indented like the rest', (t) => {
  const text = [...jsonPieces(new JsonList([{ a: { b: 'line\nbreak' } }]))].join('');
  t.is(text, JSON.stringify([{ a: { b: 'line\nbreak' } }], null, 2));
});

test('a record leaves out undefined entries', (t) => {
  const record = new JsonRecord([
    ['a', undefined],
    ['b', 1],
  ]);
  t.is([...jsonPieces(record)].join(''), '{\n  "b": 1\n}');
});

test('a long document lets other work run after every slice of time', async (t) => {
  let nowMs = 0;
  const clock: Clock = { ...systemClock, monotonicMs: () => nowMs };
  let turns = 0;
  const count = (): void => {
    turns++;
    running = setImmediate(count);
  };
  let running = setImmediate(count);
  function* pieces(): Generator<string> {
    for (let index = 0; index < 100; index++) {
      nowMs += 1;
      yield 'x';
    }
  }
  let text = '';
  for await (const chunk of chunkPieces(pieces(), clock, createRenderTurns())) text += chunk;
  clearImmediate(running);
  t.is(text.length, 100);
  t.true(turns >= 19, `${turns} turns for 100 ms of work in slices of 5`);
});

test('a document is not rendered faster than a slow reader takes it', async (t) => {
  let made = 0;
  function* pieces(): Generator<string> {
    for (; made < 1000; made++) yield 'x'.repeat(64 * 1024);
  }
  const reader = new PassThrough();
  const chunks = chunkPieces(pieces(), systemClock, createRenderTurns());
  const first = await chunks.next();
  const done = streamChunks(first.value ?? '', chunks, reader);
  await once(reader, 'readable');
  for (let turn = 0; turn < 100; turn++) await new Promise(setImmediate);
  t.true(made < 10, `${made} chunks were made`);
  reader.resume();
  await done;
  t.is(made, 1000);
});

test('a reader that disconnects ends a document without an error', async (t) => {
  let made = 0;
  function* pieces(): Generator<string> {
    for (; ; made++) yield 'x'.repeat(64 * 1024);
  }
  const reader = new PassThrough();
  const done = streamChunks('', chunkPieces(pieces(), systemClock, createRenderTurns()), reader);
  await once(reader, 'readable');
  reader.destroy();
  await t.notThrowsAsync(done);
  // One slice may have been waiting for its turn.
  for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
  const before = made;
  for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
  t.is(made, before);
});
