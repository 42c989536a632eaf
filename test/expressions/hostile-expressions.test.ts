import test from 'ava';
import { createRegexPrograms } from '../../src/config/regex/regex-programs.js';
import { checkExpression } from '../../src/expressions/check-expression.js';
import { createEvaluationMeter } from '../../src/expressions/compile/lazy-frame.js';
import { compileExpression } from '../../src/expressions/compile-expression.js';
import type { ExpressionLanguage } from '../../src/expressions/expression-types.js';
import { processorMs } from '../support/processor-ms.js';
import { ATTRIBUTES } from './support/attribute-types.js';
import { requestWith, type Written, written } from './support/request-attributes.js';

/** Far more than any of them takes, and far less than one without a limit. */
const MAX_MS = 2000;
const LONG = 'a'.repeat(60_000);
const HUNDRED = `[${Array.from({ length: 100 }, (_, index) => index).join(',')}]`;

const evaluate = (text: string, language: ExpressionLanguage, given: Readonly<Record<string, Written>>): Written =>
  written(compileExpression(text, ATTRIBUTES, language).evaluate(requestWith(given)));

const EVALUATED: readonly (readonly [title: string, text: string, language: ExpressionLanguage, result: Written])[] = [
  ['nested repetitions of a regular expression', 'key.matches("^(a+)+b$")', 'cel', false],
  ['many alternatives over a long text', `"${'(a|b|ab)*'.repeat(20)}c".matches(key)`, 'legacy', '!the text has 60000'],
  [
    'macros in macros',
    `${HUNDRED}.all(a, ${HUNDRED}.all(b, ${HUNDRED}.all(c, a + b + c >= 0)))`,
    'cel',
    '!all of 100 elements takes too long',
  ],
  ['a macro over a long text', 'key.split("").all(c, c == "a")', 'cel', '!all of 60000 elements takes too long'],
  [
    'sums that grow',
    Array.from({ length: 400 }, () => 'key').join(' + '),
    'legacy',
    '!the expression makes a text of 120000 characters, but may make at most 65536',
  ],
  ['replacements that grow', 'key.replace("a", key)', 'cel', '!the expression makes a text of 3600000000 characters'],
  [
    'replacements that grow in steps',
    `word${'.replace("b", "bbbbbbbb")'.repeat(40)}`,
    'cel',
    '!the expression makes a text of',
  ],
];

for (const [title, text, language, result] of EVALUATED) {
  test(`${title}: the evaluation ends soon`, (t) => {
    let found: Written | undefined;
    const spentMs = processorMs(() => {
      found = evaluate(text, language, { key: LONG, word: 'bbb' });
    });
    t.true(String(found).startsWith(String(result)), String(found).slice(0, 500));
    t.true(spentMs < MAX_MS, `${spentMs} ms`);
  });
}

const CHECKED: readonly (readonly [title: string, text: string, language: ExpressionLanguage])[] = [
  ['8,192 opening parentheses', '('.repeat(8192), 'legacy'],
  ['8,192 opening parentheses', '('.repeat(8192), 'cel'],
  ['8,192 negations', '!'.repeat(8192), 'compat'],
  ['8,192 negations', '!'.repeat(8192), 'cel'],
  ['8,192 dots', `a${'.a'.repeat(4095)}`, 'legacy'],
  ['8,192 dots', `a${'.a'.repeat(4095)}`, 'cel'],
  ['comments that do not end', '/*'.repeat(4096), 'legacy'],
  ['quotes that do not end', '"\\'.repeat(4096), 'cel'],
  ['a long sum', `${'1+'.repeat(4095)}1`, 'legacy'],
  ['a long sum', `${'1+'.repeat(4095)}1`, 'cel'],
  ['an unknown attribute with a long name', 'x'.repeat(8192), 'legacy'],
  ['a large regular expression', '"((a{30}){30}){30}".matches(key)', 'legacy'],
  [
    'many large regular expressions',
    Array.from({ length: 90 }, (_, index) => `"${index}(\\\\pL{9}){9}".matches(key)`).join(' || '),
    'legacy',
  ],
  ['a text of 1 MiB', '('.repeat(1_048_576), 'cel'],
];

for (const [title, text, language] of CHECKED) {
  test(`${title}: the check with ${language} ends soon, with an error`, (t) => {
    let checked: ReturnType<typeof checkExpression> | undefined;
    const spentMs = processorMs(() => {
      checked = checkExpression(text, ATTRIBUTES, language);
    });
    const message = checked !== undefined && 'error' in checked ? checked.error.message : undefined;
    t.true(message !== undefined && message.length < 1000, JSON.stringify(checked)?.slice(0, 500));
    t.true(spentMs < MAX_MS, `${spentMs} ms`);
  });
}

test('the expressions of one request share their work', (t) => {
  const programs = createRegexPrograms({ scope: 'any part' });
  const expression = compileExpression('key.matches("(a|b).*(c|d).*(e|f).*g")', ATTRIBUTES, 'cel', { programs });
  const meter = createEvaluationMeter();
  const request = requestWith({ key: 'a'.repeat(1000) });
  const results = Array.from({ length: 1000 }, () => expression.evaluate(request, meter).type);
  t.is(results[0], 'value');
  t.is(results.at(-1), 'error');
  t.is(programs.size, 1);
});
