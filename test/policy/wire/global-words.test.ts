import { hash } from 'node:crypto';
import test from 'ava';
import { GLOBAL_WORDS } from '../../../src/policy/wire/global-words.js';

test('words of the protocol keep their numbers for ever: new ones go to the end', (t) => {
  // Extend this list by a line when words are added; a line never changes.
  const released: readonly (readonly [number, string])[] = [[158, '6781e5bcb4775709']];
  for (const [count, expected] of released) {
    t.is(hash('sha256', GLOBAL_WORDS.slice(0, count).join('\n'), 'hex').slice(0, 16), expected);
  }
  t.is(released.at(-1)?.[0], GLOBAL_WORDS.length, 'add a line for the new words');
});

test('no word of the protocol occurs twice', (t) => {
  t.is(new Set(GLOBAL_WORDS).size, GLOBAL_WORDS.length);
});
