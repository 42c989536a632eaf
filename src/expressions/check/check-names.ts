import { nearestName } from '../../base/nearest-name.js';
import type { SyntaxNode } from '../tree/syntax-tree.js';
import { type CheckContext, isCel } from './check-context.js';
import { typeText } from './expression-type.js';
import type { TypedNode } from './typed-tree.js';

/**
 * Resolves `name` and `name.field.field`: the variable of a macro, an attribute, or with CEL an entry of an attribute that is a
 * map. Names of attributes contain dots, so the longest name that is an attribute counts.
 */
export function checkName(node: SyntaxNode, context: CheckContext): TypedNode {
  const path = attributePath(node);
  if (path === undefined) return checkFieldOfValue(node, context);
  const [first = ''] = path;
  const variable = context.variables.get(first);
  if (variable !== undefined) {
    return selectFields({ kind: 'variable', ...variable }, path.slice(1), node, context);
  }
  const written = path.join('.');
  for (let length = path.length; length > 0; length--) {
    const name = path.slice(0, length).join('.');
    const type = context.attributes.typeOf(name);
    if (type === undefined) continue;
    if (length < path.length && !isCel(context)) {
      const entry = type === 'STRING_MAP' ? `: write ${name}[${JSON.stringify(path.slice(length).join('.'))}]` : '';
      return context.fail(node.offset, `unknown attribute ${written}${entry}`);
    }
    context.reads.add(name);
    return selectFields({ kind: 'attribute', type, name }, path.slice(length), node, context);
  }
  const suggestion = nearestName(written, context.attributes.names());
  const remedy = suggestion === undefined ? ': declare it in an attributemanifest' : `: did you mean ${suggestion}?`;
  return context.fail(node.offset, `unknown attribute ${written}${remedy}`);
}

/** The identifiers of `a.b.c`; undefined if the first operand is not an identifier. */
export function attributePath(node: SyntaxNode): string[] | undefined {
  const path: string[] = [];
  for (let part = node; ; part = part.operand) {
    if (part.kind === 'name') return [part.name, ...path];
    if (part.kind !== 'select') return undefined;
    path.unshift(part.field);
  }
}

function checkFieldOfValue(node: SyntaxNode, context: CheckContext): TypedNode {
  if (node.kind !== 'select') return context.fail(node.offset, 'found no name');
  if (!isCel(context)) {
    return context.fail(node.offset, `found .${node.field} after a value, expected a method such as .startsWith(…)`);
  }
  return selectFields(context.check(node.operand), [node.field], node, context);
}

function selectFields(value: TypedNode, fields: readonly string[], node: SyntaxNode, context: CheckContext): TypedNode {
  let result = value;
  for (const field of fields) {
    if (result.type !== 'STRING_MAP') {
      return context.fail(
        node.offset,
        `found .${field} after a ${typeText(result.type)}, but only a STRING_MAP has fields`,
      );
    }
    result = {
      kind: 'entry',
      type: 'STRING',
      map: result,
      key: { kind: 'constant', type: 'STRING', value: field },
    };
  }
  return result;
}
