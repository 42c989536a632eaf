import test from 'ava';
import { jsonText, printable } from '../../src/base/printable.js';

const HOSTILE = 'a\u001B[31m\u007f\u009b31m\u0085é';

test('JSON for an output has no control character, and parses to the same value', (t) => {
  const text = jsonText({ name: HOSTILE });
  t.notRegex(text, /[^\P{Cc}\n]/u);
  t.deepEqual(JSON.parse(text), { name: HOSTILE });
});

test('a printable text has no control character', (t) => {
  t.is(printable(HOSTILE), 'a·[31m··31m·é');
});
