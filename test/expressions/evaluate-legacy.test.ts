import test from 'ava';
import { compileExpression } from '../../src/expressions/compile-expression.js';
import type { ValueCondition } from '../../src/expressions/conditions/conjunct.js';
import type { ExpressionLanguage } from '../../src/expressions/expression-types.js';
import { ATTRIBUTES } from './support/attribute-types.js';
import { LEGACY_CASES } from './support/legacy-cases.js';
import { requestWith, type Written, written } from './support/request-attributes.js';

for (const language of ['legacy', 'compat'] as const) {
  test(`each expression of the table has its result with the language ${language}`, (t) => {
    for (const { text, given = {}, result, compat = result } of LEGACY_CASES) {
      const expected = language === 'compat' ? compat : result;
      const found = written(compileExpression(text, ATTRIBUTES, language).evaluate(requestWith(given)));
      const shown = `${text} with ${show(given)} is ${show(found)}`;
      if (typeof expected === 'string' && expected.startsWith('!')) {
        t.true(typeof found === 'string' && found.startsWith(expected), shown);
      } else {
        t.deepEqual(found, expected, shown);
      }
    }
  });
}

test('an expression names the attributes that it reads, and its type', (t) => {
  const { reads, type } = compileExpression('(source.name | key) == map["a"] && key != ""', ATTRIBUTES, 'legacy');
  t.deepEqual(reads, ['key', 'map', 'source.name']);
  t.is(type, 'BOOL');
});

test('an expression names the values without which its parts are not true', (t) => {
  const needs = (text: string, language: ExpressionLanguage): readonly string[] =>
    compileExpression(text, ATTRIBUTES, language)
      .conjuncts()
      .flatMap(({ needs }) => needs)
      .map((need) => need.map(shown).join(' or '));
  const shown = ({ subjectKey, type, values, isEnough }: ValueCondition): string =>
    [subjectKey, type, ...(values.length > 0 ? [values] : []), ...(isEnough ? [] : ['…'])].join(' ');
  const joined = 'key == "a" && ("b" == word && count == 1) && source.name != "c"';
  for (const language of ['legacy', 'cel'] as const) {
    t.deepEqual(needs(joined, language), ['STRING key equals a', 'STRING word equals b', 'INT64 count equals 1']);
  }
  t.deepEqual(needs('key == "a" || key == "b" || "c" == key', 'legacy'), ['STRING key equals a,b,c']);
  t.deepEqual(needs('(key == "a" && flag) || key == "b"', 'legacy'), ['STRING key equals a,b …']);
  t.deepEqual(needs('key == "a" || word == "b"', 'legacy'), ['STRING key equals a … or STRING word equals b …']);
  t.deepEqual(needs('key == "a" || (flag && word == "b") || word == "c"', 'legacy'), [
    'STRING key equals a … or STRING word equals b,c …',
  ]);
  t.deepEqual(needs('key == "a" || flag', 'legacy'), []);
  t.deepEqual(needs('key != "a" && key == word', 'legacy'), []);
  t.deepEqual(needs('key != "" && "" != map["k"]', 'legacy'), [
    'STRING key isFilled',
    'STRING entry(STRING_MAP map,STRING "k") isFilled',
  ]);
  t.deepEqual(needs('(map["k"] | "x") == "a" && key.startsWith("/v1/")', 'legacy'), [
    'STRING first(STRING entry(STRING_MAP map,STRING "k"),STRING "x") equals a',
    'STRING key startsWith /v1/',
  ]);
  t.deepEqual(needs('match(key, "a*") && match(word, "*b") && match(key, "c")', 'legacy'), [
    'STRING key startsWith a',
    'STRING key equals c',
  ]);
  t.deepEqual(needs('key in ["a", "b"] && count in [1, count]', 'cel'), ['STRING key equals a,b']);
});

test('an expression that cannot be evaluated does not match', (t) => {
  const matches = (language: ExpressionLanguage): boolean =>
    compileExpression('count != 2', ATTRIBUTES, language).matches(requestWith({}));
  t.false(matches('legacy'));
  t.true(matches('compat'));
});

test('an error tells an absent attribute from another failure', (t) => {
  const evaluate = (text: string) => compileExpression(text, ATTRIBUTES, 'legacy').evaluate(requestWith({}));
  t.like(evaluate('count == 1'), { type: 'error', reason: 'absent' });
  t.like(evaluate('ip("x")'), { type: 'error', reason: 'failed' });
});

function show(value: Written | Readonly<Record<string, Written>>): string {
  return JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? String(each) : each));
}
