import test from 'ava';
import { compileExpression } from '../../src/expressions/compile-expression.js';
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

test('an expression names the texts without which it is not true', (t) => {
  const requires = (text: string, language: ExpressionLanguage): object =>
    Object.fromEntries(compileExpression(text, ATTRIBUTES, language).requires);
  const joined = 'key == "a" && ("b" == word && count == 1) && source.name != "c"';
  t.deepEqual(requires(joined, 'legacy'), { key: 'a', word: 'b' });
  t.deepEqual(requires(joined, 'cel'), { key: 'a', word: 'b' });
  t.deepEqual(requires('key == "a" || word == "b"', 'legacy'), {});
  t.deepEqual(requires('(key | "x") == "a" && word == ""', 'legacy'), {});
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
