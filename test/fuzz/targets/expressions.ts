import fc from 'fast-check';
import { checkExpression } from '../../../src/expressions/check-expression.js';
import { compileExpression } from '../../../src/expressions/compile-expression.js';
import { expressionText, printTree, syntaxTree } from '../../expressions/support/arbitrary-expressions.js';
import { ATTRIBUTES } from '../../expressions/support/attribute-types.js';
import { requestWith } from '../../expressions/support/request-attributes.js';
import { type FuzzTarget, fuzzTarget } from '../fuzz-target.js';

const REQUEST = requestWith({ key: 'a'.repeat(100), 'request.headers': { 'x-user': 'john' }, count: 7n });

export const expressionTargets: readonly FuzzTarget[] = [
  fuzzTarget('expression', {
    inputs: fc.record({
      text: fc.oneof(expressionText, syntaxTree('legacy').map(printTree), syntaxTree('cel').map(printTree)),
      language: fc.constantFrom('legacy', 'compat', 'cel'),
    }),
    run: ({ text, language }) => {
      if ('error' in checkExpression(text, ATTRIBUTES, language)) return;
      compileExpression(text, ATTRIBUTES, language).evaluate(REQUEST);
    },
  }),
];
