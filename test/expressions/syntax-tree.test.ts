import test from 'ava';
import fc from 'fast-check';
import { parseCel } from '../../src/expressions/cel/parse-cel.js';
import { checkExpression } from '../../src/expressions/check-expression.js';
import { compileExpression } from '../../src/expressions/compile-expression.js';
import { ExpressionSyntaxError } from '../../src/expressions/expression-syntax-error.js';
import { parseLegacy } from '../../src/expressions/legacy/parse-legacy.js';
import { expressionText, printTree, syntaxTree, withoutOffsets } from './support/arbitrary-expressions.js';
import { ATTRIBUTES } from './support/attribute-types.js';
import { requestWith } from './support/request-attributes.js';

for (const [shape, parse] of [
  ['legacy', parseLegacy],
  ['cel', parseCel],
] as const) {
  test(`a tree of ${shape} that is printed and parsed is the same tree`, (t) => {
    fc.assert(
      fc.property(syntaxTree(shape), (tree) => {
        t.deepEqual(withoutOffsets(parse(printTree(tree))), withoutOffsets(tree));
      }),
      { numRuns: 300 },
    );
  });
}

test('any text is checked without an exception, and a valid one is compiled and evaluated', (t) => {
  let valid = 0;
  fc.assert(
    fc.property(expressionText, fc.constantFrom('legacy', 'compat', 'cel'), (text, language) => {
      const checked = checkExpression(text, ATTRIBUTES, language);
      if ('error' in checked) {
        t.true(checked.error.offset >= 0 && checked.error.offset <= text.length);
        t.throws(() => compileExpression(text, ATTRIBUTES, language), { instanceOf: ExpressionSyntaxError });
        return;
      }
      valid++;
      t.regex(compileExpression(text, ATTRIBUTES, language).evaluate(requestWith({})).type, /^(?:value|error)$/);
    }),
    { numRuns: 1000, examples: [['key == "a"', 'legacy'] as [string, 'legacy']] },
  );
  t.true(valid > 0);
});
