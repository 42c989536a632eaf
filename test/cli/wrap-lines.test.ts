import test from 'ava';
import { wrapLines } from '../../src/cli/wrap-lines.js';

test('lines break between words, and go on below their beginning', (t) => {
  t.is(wrapLines('a short line\n    one two three\n', 12), 'a short line\n    one two\n    three\n');
});

test('a word longer than the terminal is left whole', (t) => {
  t.is(wrapLines('  see https://example.com/long for more', 12), '  see\n  https://example.com/long\n  for more');
});

test('a wide terminal gets lines of 120 columns at most, and a file the text as it is', (t) => {
  const text = `${'word '.repeat(60)}end`;
  t.is(
    Math.max(
      ...wrapLines(text, 400)
        .split('\n')
        .map((line) => line.length),
    ),
    119,
  );
  t.is(wrapLines(text, undefined), text);
});
