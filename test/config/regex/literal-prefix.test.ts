import test from 'ava';
import { RE2JS, RE2JSException } from 're2js';
import { literalPrefix } from '../../../src/config/regex/literal-prefix.js';
import { RegexSet } from '../../../src/policy/client/regex-set.js';
import { regexText, subjectText } from '../../config/regex/arbitrary-regex.js';
import fc from '../../support/property-testing.js';

test('a repetition after an empty quotation or after flags applies to the character before', (t) => {
  t.deepEqual(new RegexSet(['ab\\Q\\E*']).match('a'), [0]);
  t.deepEqual(new RegexSet(['ab(?i)*']).match('a'), [0]);
  t.deepEqual(new RegexSet(['ab+\\Q\\E*']).match('a'), [0]);
  t.deepEqual(new RegexSet(['ab\\Q\\E(?s)\\Q\\E?']).match('a'), [0]);
});

test('an item after the prefix keeps the whole prefix', (t) => {
  for (const rest of ['', '.*', '[b]*', '(b)*', '(?:b)*', '(?P<n>b)*', '$', '^', '\\d*', '\\b']) {
    t.is(literalPrefix(`/pets${rest}`), '/pets', rest);
  }
});

test('every text that an expression matches in re2js begins with its literal prefix', (t) => {
  const beginning = fc.string({ unit: fc.constantFrom('a', 'b', '/', '-', 'A'), maxLength: 3 });
  const ending = fc.constantFrom('', '*', '?', '{0}', '{2}', '+', '??');
  const empty = fc.constantFrom('', '', '\\Q\\E', '(?i)', '(?s-i)', '\\Q\\E\\Q\\E');
  const tail = fc.oneof(
    regexText,
    fc.tuple(empty, ending, regexText).map((parts) => parts.join('')),
  );
  let count = 0;
  fc.assert(
    fc.property(beginning, tail, fc.array(subjectText, { maxLength: 4 }), (prefix, rest, subjects) => {
      const regex = `${prefix}${rest}`;
      let expected: RE2JS;
      try {
        expected = RE2JS.compile(regex);
      } catch (error) {
        if (error instanceof RE2JSException) return;
        throw error;
      }
      count++;
      const set = new RegexSet([regex]);
      for (const each of [...subjects, prefix, prefix.slice(0, -1)]) {
        t.is(set.match(each).length > 0, expected.matcher(each).matches(), `${regex} on ${JSON.stringify(each)}`);
      }
    }),
    { numRuns: 4000 },
  );
  t.true(count > 1000);
});
