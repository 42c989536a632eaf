import { checkExpression } from '../../expressions/check-expression.js';
import type { AttributeTypes, ExpressionLanguage, ValueType } from '../../expressions/expression-types.js';
import type { Violation } from '../violation.js';

/** A field of an object that holds an expression. */
export interface ExpressionField {
  /** Below `spec`. */
  readonly path: string;
  readonly text: string;
  /** The type that the field needs. `any`: each type. */
  readonly needs: ValueType | 'any';
}

/** The result of checking one expression. */
export type FieldCheck =
  | { readonly type: 'valid' }
  /** It reads names that are not known, or whose beginnings are not. An attributemanifest may declare them. */
  | { readonly type: 'unknown attribute'; readonly names: readonly string[]; readonly message: string }
  | { readonly type: 'invalid'; readonly violation: Violation };

/** Checks an expression, and its type against that of the field. Never throws. */
export function checkField(
  { path, text, needs }: ExpressionField,
  attributes: AttributeTypes,
  language: ExpressionLanguage,
): FieldCheck {
  const names = new Set<string>();
  const observed: AttributeTypes = {
    typeOf: (name) => {
      const type = attributes.typeOf(name);
      if (type === undefined) names.add(name);
      return type;
    },
    names: () => attributes.names(),
  };
  const checked = checkExpression(text, observed, language);
  if ('error' in checked) {
    const { message } = checked.error;
    if (names.size > 0) return { type: 'unknown attribute', names: [...names], message };
    const remedy = 'correct the expression: docs/policy-rules.md#expressions shows examples';
    return { type: 'invalid', violation: { path, value: text, message: `is no valid expression: ${message}`, remedy } };
  }
  if (needs === 'any' || checked.type === needs) return { type: 'valid' };
  const message = `has the type ${checked.type}, and the field needs ${needs}`;
  return {
    type: 'invalid',
    violation: { path, value: text, message, remedy: `use an expression of the type ${needs}` },
  };
}

/**
 * The violations of expressions that hold whatever attributemanifests exist. Expressions with unknown attributes are left
 * to analysis, because the order in which objects are applied must not matter.
 */
export function* certainViolations(
  fields: Iterable<ExpressionField>,
  attributes: AttributeTypes,
  language: ExpressionLanguage,
): Iterable<Violation> {
  for (const field of fields) {
    const check = checkField(field, attributes, language);
    if (check.type === 'invalid') yield check.violation;
  }
}
