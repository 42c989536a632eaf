import { createRegexBudget } from '../../config/regex/regex-budget.js';
import { errorAt } from '../expression-syntax-error.js';
import type { AttributeTypes, ExpressionLanguage } from '../expression-types.js';
import { functionsOf } from '../functions/function-table.js';
import type { SyntaxNode } from '../tree/syntax-tree.js';
import { checkOperand, checkOperator, expectType, sameType } from './check-application.js';
import { checkCall, checkConditional } from './check-calls.js';
import { checkIn, checkIndex, checkList, checkMap } from './check-collections.js';
import type { CheckContext } from './check-context.js';
import { checkName } from './check-names.js';
import type { TypedNode } from './typed-tree.js';

/** Compiled size of all regular expressions of one expression. */
const MAX_REGEX_BYTES = 2 * 1024 * 1024;

/** An expression without errors. */
export interface CheckedExpression {
  readonly tree: TypedNode;
  /** Names of the attributes that the expression reads, sorted. */
  readonly reads: readonly string[];
}

/**
 * Resolves names and checks types.
 *
 * @param text the expression as it is written, for positions in errors
 * @throws ExpressionSyntaxError
 */
export function checkTypes(
  tree: SyntaxNode,
  text: string,
  attributes: AttributeTypes,
  language: ExpressionLanguage,
): CheckedExpression {
  const context: CheckContext = {
    language,
    attributes,
    functions: functionsOf(language),
    variables: new Map(),
    reads: new Set(),
    checkRegex: createRegexBudget({
      maxBytes: MAX_REGEX_BYTES,
      scope: 'of the expression',
      remedy: 'use several rules',
    }),
    check: (node) => checkNode(node, context),
    fail: (offset, problem) => {
      throw errorAt(text, offset, problem);
    },
  };
  return { tree: context.check(tree), reads: [...context.reads].sort() };
}

function checkNode(node: SyntaxNode, context: CheckContext): TypedNode {
  switch (node.kind) {
    case 'literal':
      return { kind: 'constant', type: node.literal.type, value: node.literal.value };
    case 'name':
    case 'select':
      return checkName(node, context);
    case 'index':
      return checkIndex(checkOperand(node.operand, context), checkOperand(node.index, context), context);
    case 'unary':
      return checkOperator(node.operator, [checkOperand(node.operand, context)], node.offset, context);
    case 'binary':
      return checkBinary(node, context);
    case 'conditional':
      return checkConditional(node.condition, node.ifTrue, node.ifFalse, context);
    case 'call':
      return checkCall(node, context);
    case 'list':
      return checkList(node.elements, context);
    case 'map':
      return checkMap(node.entries, context);
  }
}

function checkBinary(node: Extract<SyntaxNode, { kind: 'binary' }>, context: CheckContext): TypedNode {
  const { operator, offset } = node;
  const [left, right] = [checkOperand(node.left, context), checkOperand(node.right, context)];
  switch (operator) {
    case '&&':
    case '||':
      return {
        kind: operator === '&&' ? 'and' : 'or',
        type: 'BOOL',
        left: expectType(left, 'BOOL', `on the left of ${operator}`, context),
        right: expectType(right, 'BOOL', `on the right of ${operator}`, context),
      };
    case '|': {
      const choices = sameType([left, right], 'on both sides of |', context);
      const type = choices[0]?.type ?? 'STRING';
      return { kind: 'first', type, choices };
    }
    case 'in':
      return checkIn(left, right, offset, context);
    default:
      return checkOperator(operator, [left, right], offset, context);
  }
}
