import type { FunctionRun } from '../functions/expression-function.js';
import type { SyntaxNode } from '../tree/syntax-tree.js';
import { Failure, type Outcome } from '../values/failure.js';
import type { NativeValue } from '../values/native-value.js';
import { checkOperand, convert, expectType, type Operand, sameType } from './check-application.js';
import type { CheckContext } from './check-context.js';
import { isListType, typeText } from './expression-type.js';
import type { TypedNode } from './typed-tree.js';

/** `map["key"]`, and with CEL `list[0]`. */
export function checkIndex(operand: Operand, index: Operand, context: CheckContext): TypedNode {
  const { typed } = operand;
  if (isListType(typed.type)) {
    const { element = 'STRING' } = typed.type;
    return {
      kind: 'element',
      type: element,
      list: typed,
      index: expectType(index, 'INT64', 'as the index of a list', context),
    };
  }
  if (typed.type !== 'STRING_MAP') {
    return context.fail(operand.syntax.offset, `found ${typeText(typed.type)}[…], expected a STRING_MAP before [`);
  }
  return {
    kind: 'entry',
    type: 'STRING',
    map: typed,
    key: expectType(index, 'STRING', 'as the key of a map', context),
  };
}

/** `[a, b]`: all elements have one type. */
export function checkList(elements: readonly SyntaxNode[], context: CheckContext): TypedNode {
  const typed = sameType(
    elements.map((element) => checkOperand(element, context)),
    'as the other elements of the list',
    context,
  );
  return { kind: 'list', type: { element: typed[0]?.type }, elements: typed };
}

/** `{"a": "b"}`: keys and values are texts. */
export function checkMap(entries: readonly (readonly [SyntaxNode, SyntaxNode])[], context: CheckContext): TypedNode {
  const text = (node: SyntaxNode, of: string): TypedNode =>
    expectType(checkOperand(node, context), 'STRING', of, context);
  return {
    kind: 'map',
    type: 'STRING_MAP',
    entries: entries.map(([key, value]) => [text(key, 'as the key of a map'), text(value, 'as the value of a map')]),
  };
}

type Equals = (left: NativeValue, right: NativeValue) => Outcome;

/** `element in list` and `key in map`. */
export function checkIn(left: Operand, right: Operand, offset: number, context: CheckContext): TypedNode {
  const { type } = right.typed;
  if (type === 'STRING_MAP') {
    const key = expectType(left, 'STRING', 'as the key of a map', context);
    const hasKey = (name: string, map: ReadonlyMap<string, string>): boolean => map.has(name);
    return { kind: 'apply', name: 'in', type: 'BOOL', run: hasKey, parameters: [key, right.typed] };
  }
  if (!isListType(type)) {
    return context.fail(right.syntax.offset, `found ${typeText(type)}, expected a list or a STRING_MAP after in`);
  }
  const { element = left.typed.type } = type;
  const equality = context.functions.variants('==', false).find(({ parameters }) => parameters[0] === element);
  const searched = convert(left, element);
  if (equality === undefined || searched === undefined) {
    return context.fail(
      offset,
      `found ${typeText(left.typed.type)} in ${typeText(type)}, expected an element of the list's type`,
    );
  }
  const equals = equality.run as unknown as Equals;
  const hasElement = (value: NativeValue, list: readonly NativeValue[]): Outcome => findEqual(value, list, equals);
  return {
    kind: 'apply',
    name: 'in',
    type: 'BOOL',
    run: hasElement as FunctionRun,
    parameters: [searched, right.typed],
  };
}

/** A comparison that fails counts only if no element is equal. */
function findEqual(value: NativeValue, list: readonly NativeValue[], equals: Equals): Outcome {
  let failure: Failure | undefined;
  for (const element of list) {
    const result = equals(value, element);
    if (result === true) return true;
    if (result instanceof Failure) failure ??= result;
  }
  return failure ?? false;
}
