import type { TypedNode } from './typed-tree.js';

/** The parts that a node is made of, in the order in which they are written. */
export function typedParts(node: TypedNode): readonly TypedNode[] {
  switch (node.kind) {
    case 'constant':
    case 'attribute':
    case 'variable':
      return [];
    case 'entry':
      return [node.map, node.key];
    case 'element':
      return [node.list, node.index];
    case 'and':
    case 'or':
      return [node.left, node.right];
    case 'conditional':
      return [node.condition, node.ifTrue, node.ifFalse];
    case 'first':
      return node.choices;
    case 'presence':
      return [node.of];
    case 'apply':
      return node.parameters;
    case 'matches':
      return [node.text, node.pattern];
    case 'list':
      return node.elements;
    case 'map':
      return node.entries.flat();
    case 'macro':
      return [node.range, node.predicate, node.transform].filter((part) => part !== undefined);
  }
}

/** A node with all parts that it is made of. */
export function* partsOfTree(node: TypedNode): Iterable<TypedNode> {
  yield node;
  for (const part of typedParts(node)) yield* partsOfTree(part);
}
