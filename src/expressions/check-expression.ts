import { parseCel } from './cel/parse-cel.js';
import { type CheckedExpression, checkTypes } from './check/check-types.js';
import { isListType, typeText } from './check/expression-type.js';
import { MAX_EXPRESSION_LENGTH } from './expression-limits.js';
import { ExpressionSyntaxError, errorAt } from './expression-syntax-error.js';
import type { AttributeTypes, ExpressionError, ExpressionLanguage, ValueType } from './expression-types.js';
import { parseLegacy } from './legacy/parse-legacy.js';

/** A checked expression whose result is a value that attributes can have. */
export interface ValidExpression extends CheckedExpression {
  readonly type: ValueType;
}

/**
 * Parses an expression and checks its types. Never throws. An expression has at most 8,192 characters, 1,000 parts and 50
 * levels, and takes at most a few milliseconds.
 */
export function checkExpression(
  text: string,
  attributes: AttributeTypes,
  language: ExpressionLanguage,
): { readonly type: ValueType } | { readonly error: ExpressionError } {
  try {
    return { type: readExpression(text, attributes, language).type };
  } catch (error) {
    if (!(error instanceof ExpressionSyntaxError)) throw error;
    return { error: { message: error.message, offset: error.offset } };
  }
}

/**
 * Parses an expression and checks its types.
 *
 * @throws ExpressionSyntaxError
 */
export function readExpression(
  text: string,
  attributes: AttributeTypes,
  language: ExpressionLanguage,
): ValidExpression {
  if (text.length > MAX_EXPRESSION_LENGTH) {
    throw errorAt(
      text,
      MAX_EXPRESSION_LENGTH,
      `the expression has ${text.length} characters, but may have at most ${MAX_EXPRESSION_LENGTH}: use several rules`,
    );
  }
  if (text.trim() === '') throw errorAt(text, 0, 'the expression is empty');
  const parsed = language === 'cel' ? parseCel(text) : parseLegacy(text);
  const checked = checkTypes(parsed, text, attributes, language);
  const { type } = checked.tree;
  if (isListType(type)) throw errorAt(text, 0, `the result is a ${typeText(type)}, but must be a value`);
  return { ...checked, type };
}
