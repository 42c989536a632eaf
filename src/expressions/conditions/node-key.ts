import { typeText } from '../check/expression-type.js';
import { typedParts } from '../check/typed-parts.js';
import type { TypedNode } from '../check/typed-tree.js';
import type { NativeValue } from '../values/native-value.js';

/**
 * A text that is the same for equal parts of expressions. In one language, parts with the same key have the same result for a
 * request.
 */
export function nodeKey(node: TypedNode): string {
  const parts = typedParts(node);
  const inner = parts.length === 0 ? '' : `(${parts.map(nodeKey).join()})`;
  return `${typeText(node.type)} ${nameOf(node)}${inner}`;
}

/** A text that tells apart nodes with the same parts. The variants of a function differ in the types of their parameters. */
function nameOf(node: TypedNode): string {
  switch (node.kind) {
    case 'constant':
      return constantKey(node.value);
    case 'attribute':
      return node.name;
    case 'variable':
      return `$${node.slot}`;
    case 'apply':
      return `apply ${node.name}`;
    case 'macro':
      return `${node.macro} $${node.slot} ${node.predicate === undefined ? 'all' : 'some'}`;
    default:
      return node.kind;
  }
}

/** Literals are texts, numbers and booleans. */
function constantKey(value: NativeValue): string {
  if (typeof value === 'string') return JSON.stringify(value);
  return Object.is(value, -0) ? '-0' : String(value);
}
