import type { Expr } from '../generated/google/api/expr/v1alpha1/Expr.js';
import type { ParsedExpr } from '../generated/google/api/expr/v1alpha1/ParsedExpr.js';

/** An expression of CEL as a tree: Envoy takes no text of an expression. The operations are those that conditions need. */
export type CelExpression =
  | { readonly type: 'text'; readonly text: string }
  /** `attribute` of a request that does not have it is an error, and a condition with an error does not hold. */
  | { readonly type: 'attribute' | 'has'; readonly object: 'connection'; readonly name: string }
  | { readonly type: 'equals'; readonly left: CelExpression; readonly right: CelExpression }
  | { readonly type: 'startsWith'; readonly value: CelExpression; readonly prefix: CelExpression }
  | {
      readonly type: 'choice';
      readonly when: CelExpression;
      readonly yes: CelExpression;
      readonly no: CelExpression;
    };

/** Operators have these names in syntax trees (google/api/expr/v1alpha1/syntax.proto). */
const OPERATORS = { equals: '_==_', choice: '_?_:_' } as const;

/** The tree as Envoy reads it. The number of each part is unique in it. */
export function buildParsedExpr(expression: CelExpression): ParsedExpr {
  let last = 0;
  const numbered = (kind: Omit<Expr, 'id'>): Expr => ({ id: ++last, ...kind });
  const select = (object: string, field: string, testOnly: boolean): Expr =>
    numbered({ selectExpr: { operand: numbered({ identExpr: { name: object } }), field, testOnly } });
  const call = (name: string, args: readonly CelExpression[]): Expr =>
    numbered({ callExpr: { function: name, args: args.map(exprOf) } });
  const exprOf = (node: CelExpression): Expr => {
    switch (node.type) {
      case 'text':
        return numbered({ constExpr: { stringValue: node.text } });
      case 'attribute':
      case 'has':
        return select(node.object, node.name, node.type === 'has');
      case 'startsWith':
        return numbered({
          callExpr: { target: exprOf(node.value), function: 'startsWith', args: [exprOf(node.prefix)] },
        });
      case 'equals':
        return call(OPERATORS.equals, [node.left, node.right]);
      case 'choice':
        return call(OPERATORS.choice, [node.when, node.yes, node.no]);
    }
  };
  return { expr: exprOf(expression) };
}
