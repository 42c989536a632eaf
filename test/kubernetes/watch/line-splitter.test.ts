import test from 'ava';
import { createLineSplitter } from '../../../src/kubernetes/watch/line-splitter.js';
import fc from '../../support/property-testing.js';

test('lines come out whole, wherever the stream was cut', (t) => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme' })), fc.array(fc.nat({ max: 7 })), (texts, cuts) => {
      const lines = texts.map((text) => text.replaceAll('\n', '')).filter((text) => text !== '');
      const stream = Buffer.from(lines.map((line) => `${line}\n`).join(''));
      const split = createLineSplitter();
      const found: string[] = [];
      let at = 0;
      for (const cut of cuts) {
        found.push(...split(stream.subarray(at, at + cut)));
        at += cut;
      }
      found.push(...split(stream.subarray(at)));
      return found.join('\n') === lines.join('\n');
    }),
  );
  t.pass();
});

test('text after the last line break waits for the next line break', (t) => {
  const split = createLineSplitter();
  t.deepEqual(split(Buffer.from('one\ntw')), ['one']);
  t.deepEqual(split(Buffer.from('o')), []);
  t.deepEqual(split(Buffer.from('\n\n')), ['two']);
});

test('a line that never ends is refused', (t) => {
  const split = createLineSplitter();
  const chunk = Buffer.alloc(16 * 1024 * 1024, 'x');
  for (let count = 0; count < 4; count += 1) t.deepEqual(split(chunk), []);
  t.throws(() => split(chunk), { message: /longer than 67108864 bytes/ });
});
