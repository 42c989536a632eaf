import * as Type from 'typebox';
import { RULE_LIMITS } from './limits.js';

/** A text that is not empty. */
export function text(description: string, maxLength: number = RULE_LIMITS.textLength) {
  return Type.String({ description, minLength: 1, maxLength });
}

/** A text that may be empty, which means the same as absent. */
export function optionalText(description: string, maxLength: number = RULE_LIMITS.textLength) {
  return Type.Optional(Type.String({ description, maxLength }));
}

/** An expression over attributes. */
export function expression(description: string) {
  return text(description, RULE_LIMITS.expressionLength);
}

/** The name of an object, with its kind or namespace or both after dots. */
export function reference(description: string) {
  return Type.String({
    description,
    minLength: 1,
    maxLength: RULE_LIMITS.nameLength,
    pattern: '^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$',
  });
}

/** A whole number that JSON keeps exactly. */
export function wholeNumber(
  description: string,
  options: { readonly default?: number; readonly minimum?: number } = {},
) {
  return Type.Integer({ description, minimum: 0, maximum: Number.MAX_SAFE_INTEGER, ...options });
}

/** Fields that an adapter or a template defines: no schema of a kind lists them. */
export function params(description: string) {
  return Type.Unsafe<Readonly<Record<string, unknown>>>({
    type: 'object',
    additionalProperties: true,
    description,
    default: {},
  });
}
