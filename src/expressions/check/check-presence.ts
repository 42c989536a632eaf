import type { SyntaxNode } from '../tree/syntax-tree.js';
import { checkOperand, sameType } from './check-application.js';
import type { CheckContext } from './check-context.js';
import { attributePath } from './check-names.js';
import type { TypedNode } from './typed-tree.js';

type Call = Extract<SyntaxNode, { kind: 'call' }>;

/** `has(a.b)` and `pick(a.b, c, "default")` of CEL; undefined for other calls. */
export function checkPresenceCall(
  { name, target, parameters, offset }: Call,
  context: CheckContext,
): TypedNode | undefined {
  if (target !== undefined) return undefined;
  switch (name) {
    case 'has':
      return checkHas(parameters, offset, context);
    case 'pick': {
      const operands = parameters.map((parameter) => checkOperand(parameter, context));
      const choices = sameType(operands, 'as the other parameters of pick', context);
      const type = choices[0]?.type;
      if (type === undefined) return context.fail(offset, 'found pick without parameters, expected one or more');
      return { kind: 'first', type, choices };
    }
    default:
      return undefined;
  }
}

function checkHas(parameters: readonly SyntaxNode[], offset: number, context: CheckContext): TypedNode {
  const [parameter] = parameters;
  if (parameter?.kind !== 'select' || parameters.length > 1) {
    return context.fail(offset, 'found has without a field, expected has(a.b)');
  }
  if (isGroup(parameter, context)) return { kind: 'constant', type: 'BOOL', value: true };
  const of = context.check(parameter);
  if (of.kind !== 'attribute' && of.kind !== 'entry') {
    return context.fail(offset, 'found has of a value, expected has(a.b) of an attribute or a map');
  }
  return { kind: 'presence', type: 'BOOL', of };
}

/** Whether a name is the beginning of attributes' names, which are always there: `context.reporter`. */
function isGroup(node: SyntaxNode, context: CheckContext): boolean {
  const name = attributePath(node)?.join('.');
  if (name === undefined || context.attributes.typeOf(name) !== undefined) return false;
  for (const each of context.attributes.names()) if (each.startsWith(`${name}.`)) return true;
  return false;
}
