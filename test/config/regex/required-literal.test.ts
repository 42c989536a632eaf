import test from 'ava';
import { RE2JS, RE2JSException } from 're2js';
import { requiredLiteral } from '../../../src/config/regex/required-literal.js';
import fc from '../../support/property-testing.js';
import { regexText, subjectText } from './arbitrary-regex.js';

test('the longest literal outside of groups is required', (t) => {
  const cases: Readonly<Record<string, string>> = {
    '^/v[0-9]+/resource7(/|$)': '/resource7',
    '^/pets': '/pets',
    'a\\.example\\.com$': 'a.example.com',
    'abc?d': 'ab',
    'ab*cde+f': 'cde',
    'ab{0,2}c': 'a',
    '(abc)+de': 'de',
    'x(?:[)]|\\))yz': 'yz',
    'a|b': '',
    '(?i)abc': '',
    'ab(?i)*c': '',
    'ab\\Q\\E*': '',
    'ab(c\\Q)\\E)d': '',
    'a{x|b}cde': '',
    '\\d\\pL\\x41..': '',
  };
  for (const [regex, literal] of Object.entries(cases)) t.is(requiredLiteral(regex), literal, regex);
});

const AROUND = ['…', 'a…', '…a', 'ab…ab', 'a/b…-', ''];

test('every text of which an expression matches a part has its required literal', (t) => {
  const part = fc.oneof(
    regexText,
    fc.constantFrom('ab', 'a/b', '-', '*', '?', '+', '{0}', '{', '\\Q\\E', '(?i)', '(a|b)', '|'),
  );
  let count = 0;
  fc.assert(
    fc.property(fc.array(part, { maxLength: 5 }), fc.array(subjectText, { maxLength: 6 }), (parts, subjects) => {
      const regex = parts.join('');
      let compiled: RE2JS;
      try {
        compiled = RE2JS.compile(regex);
      } catch (error) {
        if (error instanceof RE2JSException) return;
        throw error;
      }
      const literal = requiredLiteral(regex);
      if (literal === '') return;
      for (const each of [
        ...subjects,
        ...AROUND.map((text) => text.replace('…', literal)),
        literal.slice(1),
        literal.slice(0, -1),
      ]) {
        if (!compiled.matcher(each).find()) continue;
        count++;
        t.true(each.includes(literal), `${regex} on ${JSON.stringify(each)}`);
      }
    }),
    { numRuns: 6000 },
  );
  t.true(count > 500);
});
