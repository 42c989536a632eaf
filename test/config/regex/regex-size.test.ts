import test from 'ava';
import { RE2JS, RE2JSException, RE2Set } from 're2js';
import { regexSize } from '../../../src/config/regex/regex-size.js';
import { processorMs } from '../../support/processor-ms.js';
import fc from '../../support/property-testing.js';
import { regexText } from './arbitrary-regex.js';

interface Program {
  readonly inst: readonly { readonly runes: Int32Array }[];
}

/** The compiled size of an expression in re2js; undefined if it is invalid. */
function compiled(text: string): { readonly instructions: number; readonly rangeBytes: number } | undefined {
  const set = new RE2Set(RE2Set.ANCHOR_BOTH);
  try {
    set.add(text);
    set.compile();
  } catch (error) {
    if (error instanceof RE2JSException) return undefined;
    throw error;
  }
  const { inst } = set.prog as unknown as Program;
  const tables = new Set(inst.map(({ runes }) => runes).filter(({ length }) => length > 1));
  const rangeBytes = [...tables].reduce((sum, { byteLength }) => sum + byteLength, 0);
  return { instructions: inst.length, rangeBytes };
}

function sizeOf(text: string) {
  const size = regexSize(text);
  if (size.type === 'oversized') throw new Error(`${text} ${size.message}`);
  return size;
}

test('the estimate is never below the compiled size', (t) => {
  let count = 0;
  fc.assert(
    fc.property(regexText, (text) => {
      fc.pre(text.length <= 1024);
      const actual = compiled(text);
      if (actual === undefined) return;
      count++;
      const { instructions, bytes } = sizeOf(text);
      t.true(instructions >= actual.instructions, `${text}: ${instructions} < ${actual.instructions}`);
      t.true(bytes >= 80 * actual.instructions + actual.rangeBytes, text);
    }),
    { numRuns: 3000 },
  );
  t.true(count > 1000, `only ${count} of the texts were expressions`);
});

test('the estimate of an ordinary expression is at most twice the compiled size', (t) => {
  for (const text of [
    '/api/v[0-9]+/pets(/.*)?',
    '(GET|POST|PUT)',
    '[a-z0-9-]+\\.example\\.(com|org)',
    'x{1000}',
    '([a-f0-9]{8}-){3}[a-f0-9]{12}',
    '(?i)mozilla/.*\\bchrome\\b.*',
  ]) {
    const actual = compiled(text)?.instructions ?? 0;
    t.true(sizeOf(text).instructions <= 2 * actual + 5, `${text}: ${sizeOf(text).instructions}, not ${actual}`);
  }
});

test('nested repetitions multiply', (t) => {
  t.true(sizeOf('((a{10}){10}){10}').instructions >= 1000);
  t.true(sizeOf('\\Qab\\E{500}').instructions < 600);
  t.true(sizeOf('(ab){500}').instructions >= 1000);
});

test('the size of a class includes its table and the cost of case folding', (t) => {
  t.true(sizeOf('[\\pL\\pN]').bytes > 20_000);
  t.true(sizeOf('(?i)[\\x{42}-\\x{1e942}]').bytes > 900_000);
  t.true(sizeOf('[\\x{42}-\\x{1e942}]').bytes < 10_000);
});

for (const [what, text, reason] of [
  ['a text of 4 MB', 'a'.repeat(4_000_000), /has 4000000 characters, but an expression may have at most 1024/],
  ['deep nesting', '('.repeat(400) + ')'.repeat(400), /has more than 250 nested groups/],
] as const) {
  test(`${what} is refused before the whole text is scanned`, (t) => {
    t.true(processorMs(() => void regexSize(text)) < 100);
    const size = regexSize(text);
    t.is(size.type, 'oversized');
    if (size.type === 'oversized') t.regex(size.message, reason);
  });
}

test('any text has a size, in time linear in it', (t) => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 1024, size: 'max' }), (text) => {
      const size = regexSize(text);
      t.true(size.type === 'oversized' || size.bytes > 0);
    }),
    { numRuns: 300 },
  );
});

test('a set of re2js has the parsed expressions and the state memory that programs use', (t) => {
  const set = new RE2Set(RE2Set.ANCHOR_BOTH, 0, 1_000_000);
  set.add('a+b');
  set.compile();
  t.true(Array.isArray(set.regexps));
  const states = set.dfa as unknown as { maxMem: number; memBudget: number };
  t.is(states.maxMem, 1_000_000);
  set.match('aaab');
  t.true(states.memBudget < 1_000_000);
  t.true(RE2JS.compile('a+b').programSize() > 2);
});
