import test from 'ava';
import { countCharacters, decodePercent, normalizeEscapes } from '../../../src/policy/client/percent-text.js';
import fc from '../../support/property-testing.js';

const hostile = fc.string({
  unit: fc.constantFrom('%', 'C3', 'a9', '3', '4', '1', 'z', '/', '\u00e9', '\ud83d\ude00'),
});

test('decoding gives back what was encoded, and never throws', (t) => {
  fc.assert(fc.property(fc.string({ unit: 'grapheme' }), (text) => decodePercent(encodeURIComponent(text)) === text));
  fc.assert(fc.property(hostile, (text) => typeof decodePercent(text) === 'string'));
  t.is(decodePercent('%E2%82%AC+%zz%'), '\u20ac+%zz%');
});

test('characters are counted as RFC 6570 counts them, encoded or not', (t) => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      t.is(countCharacters(encodeURIComponent(text)), [...text].length);
      t.is(countCharacters(text.replaceAll('%', '')), [...text.replaceAll('%', '')].length);
    }),
  );
});

for (const [text, count] of [
  ['', 0],
  ['%', 1],
  ['%4', 2],
  ['%zz', 3],
  ['%41%4', 3],
  ['%FF', 1],
  ['%C3%A9', 1],
] as const) {
  test(`${JSON.stringify(text)} counts as ${count}`, (t) => {
    t.is(countCharacters(text), count);
  });
}

test('normalizing keeps the meaning, changes nothing the second time, and leaves reserved characters encoded', (t) => {
  fc.assert(
    fc.property(hostile, (text) => {
      const normal = normalizeEscapes(text);
      t.is(decodePercent(normal), decodePercent(text));
      t.is(normalizeEscapes(normal), normal);
    }),
  );
  t.is(normalizeEscapes('/p%65ts/%2f%7e%2E%c3%a9%'), '/pets/%2F~.%C3%A9%25');
  t.is(normalizeEscapes('%2565'), '%2565');
});
