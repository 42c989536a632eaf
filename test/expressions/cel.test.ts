import test from 'ava';
import { checkExpression } from '../../src/expressions/check-expression.js';
import { compileExpression } from '../../src/expressions/compile-expression.js';
import { ATTRIBUTES } from './support/attribute-types.js';
import { CEL_CASES, CEL_ERRORS } from './support/cel-cases.js';
import { requestWith, written } from './support/request-attributes.js';

test('each expression of the table has its result', (t) => {
  for (const [text, expected, given = {}] of CEL_CASES) {
    const found = written(compileExpression(text, ATTRIBUTES, 'cel').evaluate(requestWith(given)));
    if (typeof expected === 'string' && expected.startsWith('!')) {
      t.true(typeof found === 'string' && found.startsWith(expected), `${text} is ${String(found)}`);
    } else {
      t.deepEqual(found, expected, text);
    }
  }
});

for (const [text, message] of CEL_ERRORS) {
  test(`${JSON.stringify(text.slice(0, 60))} is an error: ${message}`, (t) => {
    const checked = checkExpression(text, ATTRIBUTES, 'cel');
    t.true('error' in checked && checked.error.message.includes(message), JSON.stringify(checked));
  });
}
