import type { ValueType } from '../expression-types.js';

/** A list has elements of one type. Elements of an empty list are `undefined`: they fit every list. */
export interface ListType {
  readonly element: ExpressionType | undefined;
}

/** The type of a part of an expression. Only CEL has lists, and only inside an expression. */
export type ExpressionType = ValueType | ListType;

export function isListType(type: ExpressionType): type is ListType {
  return typeof type === 'object';
}

/** Whether a value of one type can be used where another type is expected. */
export function fits(found: ExpressionType, expected: ExpressionType): boolean {
  if (!isListType(found) || !isListType(expected)) return found === expected;
  if (found.element === undefined || expected.element === undefined) return true;
  return fits(found.element, expected.element);
}

/** A type in messages: `STRING`, `list of STRING`. */
export function typeText(type: ExpressionType): string {
  if (!isListType(type)) return type;
  return type.element === undefined ? 'empty list' : `list of ${typeText(type.element)}`;
}
