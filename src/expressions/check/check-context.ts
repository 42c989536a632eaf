import type { CheckRegex } from '../../config/regex/check-regex.js';
import type { AttributeTypes, ExpressionLanguage } from '../expression-types.js';
import type { FunctionTable } from '../functions/function-table.js';
import type { SyntaxNode } from '../tree/syntax-tree.js';
import type { ExpressionType } from './expression-type.js';
import type { TypedNode } from './typed-tree.js';

/** The variable of a macro. */
export interface Variable {
  readonly type: ExpressionType;
  readonly slot: number;
}

/** What the parts of one check share. */
export interface CheckContext {
  readonly language: ExpressionLanguage;
  readonly attributes: AttributeTypes;
  readonly functions: FunctionTable;
  /** Variables of the macros around the part that is checked. */
  readonly variables: Map<string, Variable>;
  /** Names of attributes that the expression reads; added during the check. */
  readonly reads: Set<string>;
  /** Checks a regular expression; the sum of all of one expression is limited. */
  readonly checkRegex: CheckRegex;
  /** Checks a part. */
  check(node: SyntaxNode): TypedNode;
  /** Throws an ExpressionSyntaxError. */
  fail(offset: number, problem: string): never;
}

/** The semantics of CEL, also with the legacy syntax. */
export function isCel(context: CheckContext): boolean {
  return context.language !== 'legacy';
}
