import { typeText } from '../check/expression-type.js';
import type { TypedNode } from '../check/typed-tree.js';
import type { NativeValue } from '../values/native-value.js';

/**
 * A text that is the same for equal parts of expressions. In one language, parts with the same key have the same result for a
 * request.
 */
export function nodeKey(node: TypedNode): string {
  return `${typeText(node.type)} ${partsKey(node)}`;
}

function partsKey(node: TypedNode): string {
  switch (node.kind) {
    case 'constant':
      return constantKey(node.value);
    case 'attribute':
      return node.name;
    case 'variable':
      return `$${node.slot}`;
    case 'entry':
      return call('entry', [node.map, node.key]);
    case 'element':
      return call('element', [node.list, node.index]);
    case 'and':
    case 'or':
      return call(node.kind, [node.left, node.right]);
    case 'conditional':
      return call('conditional', [node.condition, node.ifTrue, node.ifFalse]);
    case 'first':
      return call('first', node.choices);
    case 'presence':
      return call('presence', [node.of]);
    // The types of the parameters, which are in their keys, tell the variants of a function apart.
    case 'apply':
      return call(`apply ${node.name}`, node.parameters);
    case 'matches':
      return call('matches', [node.text, node.pattern]);
    case 'list':
      return call('list', node.elements);
    case 'map':
      return call('map', node.entries.flat());
    case 'macro': {
      const { macro, slot, range, predicate, transform } = node;
      return `${macro} $${slot}(${[range, predicate, transform].map((part) => part && nodeKey(part)).join()})`;
    }
  }
}

function call(name: string, parts: readonly TypedNode[]): string {
  return `${name}(${parts.map(nodeKey).join()})`;
}

/** Literals are texts, numbers and booleans. */
function constantKey(value: NativeValue): string {
  if (typeof value === 'string') return JSON.stringify(value);
  return Object.is(value, -0) ? '-0' : String(value);
}
