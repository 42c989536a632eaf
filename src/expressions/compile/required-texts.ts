import type { TypedNode } from '../check/typed-tree.js';
import { textComparisonOf } from './compile-text-comparison.js';

/** The comparisons `attribute == "text"` without which an expression is not true: those that `&&` joins. */
export function requiredTexts(tree: TypedNode): ReadonlyMap<string, string> {
  const required = new Map<string, string>();
  const collect = (node: TypedNode): void => {
    if (node.kind === 'and') {
      collect(node.left);
      collect(node.right);
      return;
    }
    if (node.kind !== 'apply' || node.name !== '==') return;
    const comparison = textComparisonOf(node);
    // With CEL, an absent attribute equals the empty text.
    if (comparison === undefined || comparison.text === '') return;
    required.set(comparison.attribute.name, comparison.text);
  };
  collect(tree);
  return required;
}
