import test from 'ava';
import { RE2JS, RE2JSException } from 're2js';
import { checkRegex } from '../../../src/config/regex/check-regex.js';
import { processorMs } from '../../support/processor-ms.js';
import fc from '../../support/property-testing.js';
import { regexText } from './arbitrary-regex.js';

function isCompiled(text: string): boolean {
  try {
    RE2JS.compile(text);
    return true;
  } catch (error) {
    if (error instanceof RE2JSException) return false;
    throw error;
  }
}

test('an expression is valid if and only if re2js compiles it', (t) => {
  const counted = fc.constantFrom(
    ...[
      '{5,900}',
      '{900,5}',
      '{1001}',
      '{40}',
      '{1000}',
      '{0,1000}',
      '{,7}',
      '{07}',
      '{7,}',
      '{10000}',
      '}',
      '\\x',
      '\\x{900}',
    ],
  );
  const text = fc
    .array(fc.oneof(regexText, counted, fc.constantFrom('(', ')', '[a-', ']', '(?:')), { maxLength: 8 })
    .map((parts) => parts.join(''));
  let passed = 0;
  fc.assert(
    fc.property(text, (regex) => {
      const checked = checkRegex(regex, 30_000_000);
      fc.pre(checked.type === 'regex' || !/ characters|groups inside|takes \d/.test(checked.message));
      if (checked.type === 'regex') passed++;
      t.is(checked.type === 'regex', isCompiled(regex), regex);
    }),
    { numRuns: 2000 },
  );
  t.true(passed > 200, `${passed}`);
});

test('an expression with thousands of repetitions is checked as fast as one with few', (t) => {
  const spentMs = processorMs(() => {
    for (let index = 0; index < 1000; index++) t.is(checkRegex(`.{0,900}(ab{20}){5}${index}`).type, 'regex');
  });
  t.true(spentMs < 1500, `${spentMs} ms`);
});

test('a text of 4 MB and an expression beyond the limit are refused with their size', (t) => {
  const long = checkRegex('a'.repeat(4_000_000));
  t.is(long.type === 'error' ? long.message : '', 'has 4000000 characters, but an expression may have at most 1024');
  const large = checkRegex('x{1000}', 10_000);
  t.is(
    large.type === 'error' ? large.message : '',
    'takes 295 KiB once it is compiled, more than the 10 KiB of one expression',
  );
});
