import type { SyntaxNode } from './syntax-tree.js';

/** Names, literals, operators and calls of a tree. */
export function countParts(node: SyntaxNode): number {
  return partsOf(node).reduce((count, part) => count + countParts(part), 1);
}

function partsOf(node: SyntaxNode): readonly SyntaxNode[] {
  switch (node.kind) {
    case 'literal':
    case 'name':
      return [];
    case 'select':
    case 'unary':
      return [node.operand];
    case 'index':
      return [node.operand, node.index];
    case 'binary':
      return [node.left, node.right];
    case 'conditional':
      return [node.condition, node.ifTrue, node.ifFalse];
    case 'call':
      return node.target === undefined ? node.parameters : [node.target, ...node.parameters];
    case 'list':
      return node.elements;
    case 'map':
      return node.entries.flat();
  }
}
