import { countParts } from '../tree/count-parts.js';
import type { SyntaxNode } from '../tree/syntax-tree.js';
import { checkOperand, expectType } from './check-application.js';
import type { CheckContext } from './check-context.js';
import { type ExpressionType, isListType, typeText } from './expression-type.js';
import type { Macro, TypedNode } from './typed-tree.js';

type Call = Extract<SyntaxNode, { kind: 'call' }>;

const MACROS: ReadonlySet<string> = new Set<Macro>(['all', 'exists', 'exists_one', 'filter', 'map']);

/** `list.exists(variable, predicate)` and the like; undefined for other calls. The elements of a map are its keys. */
export function checkMacro({ name, target, parameters, offset }: Call, context: CheckContext): TypedNode | undefined {
  if (target === undefined || !MACROS.has(name)) return undefined;
  const macro = name as Macro;
  const [variable, second, third] = parameters;
  const isComplete = macro === 'map' ? parameters.length === 2 || parameters.length === 3 : parameters.length === 2;
  if (variable?.kind !== 'name' || second === undefined || !isComplete) {
    const expected =
      macro === 'map' ? 'map(variable, value) or map(variable, condition, value)' : `${macro}(variable, condition)`;
    return context.fail(offset, `found ${macro} with other parameters, expected ${expected}`);
  }
  const range = context.check(target);
  const body = withVariable(variable.name, elementOf(range.type, target, context), context, (slot) => {
    const [condition, value] = macro !== 'map' ? [second] : third === undefined ? [undefined, second] : [second, third];
    return {
      slot,
      ...(condition && {
        predicate: expectType(checkOperand(condition, context), 'BOOL', `as the condition of ${macro}`, context),
      }),
      ...(value && { transform: context.check(value) }),
      nodes: countParts(second) + (third === undefined ? 0 : countParts(third)),
    };
  });
  return { kind: 'macro', macro, range, ...body, type: resultOf(macro, range.type, body.transform?.type) };
}

function elementOf(type: ExpressionType, range: SyntaxNode, context: CheckContext): ExpressionType {
  if (type === 'STRING_MAP') return 'STRING';
  if (isListType(type)) return type.element ?? 'STRING';
  return context.fail(range.offset, `found ${typeText(type)}, expected a list or a STRING_MAP`);
}

function resultOf(macro: Macro, range: ExpressionType, transformed: ExpressionType | undefined): ExpressionType {
  switch (macro) {
    case 'all':
    case 'exists':
    case 'exists_one':
      return 'BOOL';
    case 'filter':
      return isListType(range) ? range : { element: 'STRING' };
    case 'map':
      return { element: transformed };
  }
}

/** Checks with a variable, which hides another one with the same name. */
function withVariable<Result>(
  name: string,
  type: ExpressionType,
  context: CheckContext,
  check: (slot: number) => Result,
): Result {
  const hidden = context.variables.get(name);
  const slot =
    hidden === undefined
      ? context.variables.size
      : Math.max(...[...context.variables.values()].map((each) => each.slot)) + 1;
  context.variables.set(name, { type, slot });
  const result = check(slot);
  if (hidden === undefined) context.variables.delete(name);
  else context.variables.set(name, hidden);
  return result;
}
