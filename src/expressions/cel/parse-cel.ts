import type { ASTNode, ParseError } from '@marcbachmann/cel-js';
import { lazy } from '../../base/lazy.js';
import { MAX_EXPRESSION_DEPTH, MAX_EXPRESSION_NODES } from '../expression-limits.js';
import { errorAt } from '../expression-syntax-error.js';
import type { BinaryOperator, Literal, SyntaxNode } from '../tree/syntax-tree.js';
import { celLibrary } from './cel-library.js';

/** Maximum elements of a list or map. */
const MAX_ELEMENTS = 200;
const MAX_PARAMETERS = 32;
const INT64_LIMIT = 2n ** 63n;

/** Only for its parser. Its evaluator matches regular expressions with JavaScript's engine, which can take minutes. */
const environment = lazy(
  () =>
    new (celLibrary().Environment)({
      limits: {
        maxAstNodes: MAX_EXPRESSION_NODES,
        maxDepth: MAX_EXPRESSION_DEPTH,
        maxListElements: MAX_ELEMENTS,
        maxMapEntries: MAX_ELEMENTS,
        maxCallArguments: MAX_PARAMETERS,
      },
    }),
);

/**
 * Parses the syntax of CEL.
 *
 * @throws ExpressionSyntaxError
 */
export function parseCel(text: string): SyntaxNode {
  let parsed: ASTNode;
  try {
    parsed = environment().parse(text).ast;
  } catch (error) {
    if (error instanceof celLibrary().ParseError) throw errorAt(text, error.range?.start ?? 0, problemOf(error));
    throw error;
  }
  return translate(parsed, text);
}

function problemOf({ code, summary }: ParseError): string {
  if (code === 'limit_exceeded') {
    return `the expression has more than ${MAX_EXPRESSION_NODES} parts, ${MAX_EXPRESSION_DEPTH} levels, ${MAX_ELEMENTS} elements of a list or ${MAX_PARAMETERS} parameters of a call: use several rules`;
  }
  return summary.charAt(0).toLowerCase() + summary.slice(1);
}

function translate(node: ASTNode, text: string): SyntaxNode {
  const inner = (part: ASTNode): SyntaxNode => translate(part, text);
  const { start: offset } = node;
  switch (node.op) {
    case 'value':
      return { kind: 'literal', literal: literalOf(node.args, text, offset), offset };
    case 'id':
      return { kind: 'name', name: node.args, offset };
    case '.':
      return { kind: 'select', operand: inner(node.args[0]), field: node.args[1], offset };
    case '[]':
      return { kind: 'index', operand: inner(node.args[0]), index: inner(node.args[1]), offset };
    case 'call':
      return { kind: 'call', name: node.args[0], parameters: node.args[1].map(inner), offset };
    case 'rcall': {
      const [name, target, parameters] = node.args;
      const at = text.indexOf(name, target.end);
      return { kind: 'call', name, target: inner(target), parameters: parameters.map(inner), offset: at };
    }
    case 'list':
      return { kind: 'list', elements: node.args.map(inner), offset };
    case 'map':
      return { kind: 'map', entries: node.args.map(([key, value]) => [inner(key), inner(value)] as const), offset };
    case '?:': {
      const [condition, ifTrue, ifFalse] = node.args;
      return {
        kind: 'conditional',
        condition: inner(condition),
        ifTrue: inner(ifTrue),
        ifFalse: inner(ifFalse),
        offset,
      };
    }
    case '!_':
      return { kind: 'unary', operator: '!', operand: inner(node.args), offset };
    case '-_':
      return negative(node.args, text, offset) ?? { kind: 'unary', operator: '-', operand: inner(node.args), offset };
    case '.?':
    case '[?]':
      throw errorAt(text, offset, `found ${node.op}, but optional values are not supported: use has(…)`);
    default: {
      const [left, right] = node.args;
      const operator: BinaryOperator = node.op;
      return {
        kind: 'binary',
        operator,
        left: inner(left),
        right: inner(right),
        offset: text.indexOf(operator, left.end),
      };
    }
  }
}

/** The smallest INT64 is one beyond the largest, so the sign belongs to the literal. */
function negative(operand: ASTNode, text: string, offset: number): SyntaxNode | undefined {
  if (operand.op !== 'value' || typeof operand.args !== 'bigint') return undefined;
  return { kind: 'literal', literal: int64(-operand.args, text, offset), offset };
}

function literalOf(value: Extract<ASTNode, { op: 'value' }>['args'], text: string, offset: number): Literal {
  switch (typeof value) {
    case 'string':
      return { type: 'STRING', value };
    case 'boolean':
      return { type: 'BOOL', value };
    case 'bigint':
      return int64(value, text, offset);
    case 'number':
      return { type: 'DOUBLE', value };
    default: {
      const found = value === null ? 'null' : value instanceof Uint8Array ? 'bytes' : 'an unsigned integer';
      throw errorAt(
        text,
        offset,
        `found ${found}, but no attribute has this type: write a text, a number, true or false`,
      );
    }
  }
}

function int64(value: bigint, text: string, offset: number): Literal {
  if (value >= INT64_LIMIT || value < -INT64_LIMIT) throw errorAt(text, offset, `${value} does not fit into 64 bits`);
  return { type: 'INT64', value };
}
