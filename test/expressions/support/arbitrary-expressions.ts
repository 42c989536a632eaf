import fc from 'fast-check';
import type { BinaryOperator, Literal, SyntaxNode, UnaryOperator } from '../../../src/expressions/tree/syntax-tree.js';
import { ATTRIBUTES } from './attribute-types.js';

/** Pieces of both syntaxes, valid and invalid. */
const PIECES = [
  ...[...ATTRIBUTES.names()],
  ...[
    '"a"',
    "'b'",
    '`c`',
    '"1s"',
    '"0"',
    '1',
    '2.5',
    '.5',
    '1e9',
    'true',
    'null',
    '"\\u00e4"',
    '"\\',
    "'''",
    '//',
    '/*',
  ],
  ...['==', '!=', '<', '<=', '>', '>=', '&&', '||', '|', '+', '-', '*', '/', '%', '!', '?', ':', ' in ', '=', '&'],
  ...['(', ')', '[', ']', '{', '}', '.', ',', ' ', '\n', 'ä', '€', '\u{1f600}'],
  ...['match(', 'ip(', 'email(', 'uri(', 'dnsName(', 'timestamp(', 'conditional(', 'pick(', 'has(', 'size(', 'int('],
  ...['.matches(', '.startsWith(', '.exists(x, ', '.map(x, x)', '.replace(', '.split("")', '.getHours(', '["x-user"]'],
];

/** Texts that look like expressions. */
export const expressionText: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.array(fc.constantFrom(...PIECES), { maxLength: 25 }).map((pieces) => pieces.join('')),
);

type Shape = 'legacy' | 'cel';

const identifier = fc
  .stringMatching(/^[a-z_][a-z0-9_]{0,5}$/)
  .filter(
    (name) =>
      !/^(?:true|false|null|in|as|break|const|continue|else|for|function|if|import|let|loop|package|namespace|return|var|void|while)$/.test(
        name,
      ),
  );
const SIMPLE_MACRO = /^(?:has|all|exists|exists_one|map|filter|bind)$/;

const text = fc
  .string({ unit: 'grapheme', maxLength: 8 })
  .filter((value) => !/^[+-]?[\d.]/.test(value) && !/\p{Cc}/u.test(value));
const int64 = (shape: Shape) => fc.bigInt({ min: shape === 'cel' ? -(2n ** 63n) : 0n, max: 2n ** 63n - 1n });

const literal = (shape: Shape): fc.Arbitrary<Literal> =>
  fc.oneof<fc.Arbitrary<Literal>[]>(
    text.map((value) => ({ type: 'STRING', value })),
    int64(shape).map((value) => ({ type: 'INT64', value })),
    fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }).map((value) => ({ type: 'DOUBLE', value })),
    fc.boolean().map((value) => ({ type: 'BOOL', value })),
    ...(shape === 'cel'
      ? []
      : [fc.nat(10_000).map((ms): Literal => ({ type: 'DURATION', value: BigInt(ms) * 1_000_000n, text: `${ms}ms` }))]),
  );

const OPERATORS: readonly BinaryOperator[] = ['||', '&&', '==', '!=', '<', '<=', '>', '>=', '+', '-', '*', '/', '%'];

/** Trees without offsets, which are 0. */
export function syntaxTree(shape: Shape): fc.Arbitrary<SyntaxNode> {
  const operators: readonly BinaryOperator[] = [...OPERATORS, shape === 'cel' ? 'in' : '|'];
  const unary: readonly UnaryOperator[] = shape === 'cel' ? ['!', '-'] : ['!', '-', '+'];
  const { node } = fc.letrec<{ node: SyntaxNode }>((tie) => {
    const inner = tie('node');
    const called = identifier.filter((name) => !SIMPLE_MACRO.test(name));
    const parameters = fc.array(inner, { maxLength: 3 });
    const cel: fc.Arbitrary<SyntaxNode>[] = [
      fc.array(inner, { maxLength: 3 }).map((elements) => ({ kind: 'list', elements, offset: 0 })),
      fc.array(fc.tuple(inner, inner), { maxLength: 2 }).map((entries) => ({ kind: 'map', entries, offset: 0 })),
      fc
        .tuple(inner, inner, inner)
        .map(([condition, ifTrue, ifFalse]) => ({ kind: 'conditional', condition, ifTrue, ifFalse, offset: 0 })),
    ];
    return {
      node: fc.oneof<fc.Arbitrary<SyntaxNode>[]>(
        { maxDepth: 4, depthSize: 'small' },
        identifier.map((name) => ({ kind: 'name', name, offset: 0 })),
        literal(shape).map((each) => ({ kind: 'literal', literal: each, offset: 0 })),
        fc.tuple(inner, identifier).map(([operand, field]) => ({ kind: 'select', operand, field, offset: 0 })),
        fc.tuple(inner, inner).map(([operand, index]) => ({ kind: 'index', operand, index, offset: 0 })),
        // CEL reads a minus before a whole number as its sign.
        fc
          .tuple(fc.constantFrom(...unary), inner)
          .filter(([, operand]) => operand.kind !== 'literal' || operand.literal.type !== 'INT64')
          .map(([operator, operand]) => ({ kind: 'unary', operator, operand, offset: 0 })),
        fc
          .tuple(fc.constantFrom(...operators), inner, inner)
          .map(([operator, left, right]) => ({ kind: 'binary', operator, left, right, offset: 0 })),
        fc.tuple(called, parameters).map(([name, given]) => ({ kind: 'call', name, parameters: given, offset: 0 })),
        fc
          .tuple(called, inner, parameters)
          .map(([name, target, given]) => ({ kind: 'call', name, target, parameters: given, offset: 0 })),
        ...(shape === 'cel' ? cel : []),
      ),
    };
  });
  return node;
}

/** An expression with the tree, with parentheses around each operand. */
export function printTree(node: SyntaxNode): string {
  const operand = (part: SyntaxNode): string => `(${printTree(part)})`;
  const list = (parts: readonly SyntaxNode[]): string => parts.map(printTree).join(', ');
  switch (node.kind) {
    case 'literal':
      return printLiteral(node.literal);
    case 'name':
      return node.name;
    case 'select':
      return `${operand(node.operand)}.${node.field}`;
    case 'index':
      return `${operand(node.operand)}[${printTree(node.index)}]`;
    case 'unary':
      return `${node.operator}${operand(node.operand)}`;
    case 'binary':
      return `${operand(node.left)} ${node.operator} ${operand(node.right)}`;
    case 'conditional':
      return `${operand(node.condition)} ? ${operand(node.ifTrue)} : ${operand(node.ifFalse)}`;
    case 'call':
      return `${node.target === undefined ? '' : `${operand(node.target)}.`}${node.name}(${list(node.parameters)})`;
    case 'list':
      return `[${list(node.elements)}]`;
    case 'map':
      return `{${node.entries.map(([key, value]) => `${printTree(key)}: ${printTree(value)}`).join(', ')}}`;
  }
}

function printLiteral(each: Literal): string {
  switch (each.type) {
    case 'STRING':
      return JSON.stringify(each.value);
    case 'DURATION':
      return JSON.stringify(each.text);
    case 'DOUBLE':
      return Number.isInteger(each.value) && !String(each.value).includes('e') ? `${each.value}.0` : String(each.value);
    default:
      return String(each.value);
  }
}

/** The tree with offsets 0. */
export function withoutOffsets(node: SyntaxNode): unknown {
  return JSON.parse(
    JSON.stringify(node, (key, value) => (key === 'offset' ? 0 : typeof value === 'bigint' ? `${value}n` : value)),
  );
}
