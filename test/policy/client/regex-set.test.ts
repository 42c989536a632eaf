import test from 'ava';
import { RE2JS } from 're2js';
import { RegexSet } from '../../../src/policy/client/regex-set.js';
import fc from '../../support/property-testing.js';

const REGEXES = [
  '',
  'a',
  'a|ab',
  'ab|a',
  '^a$',
  'a*',
  '(?i)AB',
  'a.b',
  'a(?s:.)b',
  '\\ba\\b',
  '\\Ba',
  'a$|b',
  '[^a]+',
  '(a|b)*c{2,3}',
  'é+',
  '\\pL+',
  '(?m)^b$',
  '.*\\?v=[0-9]',
  'a+?b??',
  '\\Qa*\\E',
];
const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'A', 'B', 'é', '\n', '?v=1', '*', ' '), maxLength: 6 });

test('a set finds exactly the expressions that match the whole text on their own', (t) => {
  fc.assert(
    fc.property(fc.subarray(REGEXES), fc.array(text, { maxLength: 5 }), (regexes, texts) => {
      const set = new RegexSet(regexes);
      for (const each of texts) {
        const expected = regexes.flatMap((regex, index) =>
          RE2JS.compile(regex).matcher(each).matches() ? [index] : [],
        );
        t.deepEqual(set.match(each), expected);
      }
    }),
    { numRuns: 400 },
  );
});

const BEGINNINGS = ['a', 'b', 'ab', 'aA'];
const ENDS = ['', 'c', 'c?', '*', '?', '+', '{0,2}', '{2}', '.*', '(b|c)', '|b', '$', '\\b', '[^b]', 'c??', 'é'];

test('a set of expressions that begin with plain letters finds no fewer for that, and no more', (t) => {
  const regex = fc.tuple(fc.constantFrom(...BEGINNINGS), fc.constantFrom(...ENDS)).map((parts) => parts.join(''));
  fc.assert(
    fc.property(fc.array(regex, { minLength: 1, maxLength: 4 }), fc.array(text, { maxLength: 5 }), (regexes, texts) => {
      const set = new RegexSet(regexes);
      for (const each of texts) {
        const expected = regexes.flatMap((one, index) => (RE2JS.compile(one).matcher(each).matches() ? [index] : []));
        t.deepEqual(set.match(each), expected);
      }
    }),
    { numRuns: 1000 },
  );
});

test('the same expression may be in a set more than once', (t) => {
  t.deepEqual(new RegexSet(['a', 'b', 'a']).match('a'), [0, 2]);
});

test('a set whose states do not fit in memory still finds all matches', (t) => {
  const regexes = Array.from({ length: 300 }, (_, index) => `.*a.{${index % 20}}b.*c${index}`);
  const set = new RegexSet(regexes);
  const subject = `${'xaabab'.repeat(20)}c7`;
  t.deepEqual(set.match(subject), [7]);
});
