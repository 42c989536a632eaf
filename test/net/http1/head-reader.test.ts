import test from 'ava';
import fc from 'fast-check';
import { HeadReader } from '../../../src/net/http1/head-reader.js';

const HEAD = 'GET /ü HTTP/1.1\r\nhost: books\r\nx-a: \r\n';

test('a head in one piece is read at once, and nothing of it is kept', (t) => {
  const reader = new HeadReader();
  t.deepEqual(reader.take(Buffer.from(`${HEAD}\r\n`)), { type: 'head', text: HEAD.slice(0, -2) });
  t.is(reader.heldBytes, 0);
});

test('a head in any pieces is the same head, and the reader is ready for the next one', (t) => {
  const bytes = Buffer.from(`${HEAD}\r\n`);
  fc.assert(
    fc.property(fc.uniqueArray(fc.integer({ min: 1, max: bytes.length - 1 }), { maxLength: 8 }), (cuts) => {
      const reader = new HeadReader();
      const ends = [...cuts.sort((a, b) => a - b), bytes.length];
      for (let round = 0; round < 2; round++) {
        let from = 0;
        for (const end of ends) {
          const read = reader.take(bytes.subarray(from, end));
          const expected = end === bytes.length ? { type: 'head', text: HEAD.slice(0, -2) } : { type: 'incomplete' };
          if (JSON.stringify(read) !== JSON.stringify(expected)) return false;
          from = end;
        }
        if (reader.heldBytes !== 0) return false;
      }
      return true;
    }),
  );
  t.pass();
});

test('an incomplete head takes its bytes, and some for each piece', (t) => {
  const reader = new HeadReader();
  for (let piece = 1; piece <= 3; piece++) {
    t.is(reader.take(Buffer.from('ab')).type, 'incomplete');
    t.is(reader.heldBytes, piece * (2 + 512));
  }
});

test('bytes behind a head are too many', (t) => {
  t.is(new HeadReader().take(Buffer.from(`${HEAD}\r\nG`)).type, 'excess');
  const reader = new HeadReader();
  reader.take(Buffer.from(HEAD));
  t.is(reader.take(Buffer.from('\r\nG')).type, 'excess');
});
