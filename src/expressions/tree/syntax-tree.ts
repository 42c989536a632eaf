/** A value that is written in an expression. Timestamps and addresses have functions instead of literals. */
export type Literal =
  | { readonly type: 'STRING'; readonly value: string }
  | { readonly type: 'INT64'; readonly value: bigint }
  | { readonly type: 'DOUBLE'; readonly value: number }
  | { readonly type: 'BOOL'; readonly value: boolean }
  /** A text of the legacy syntax that reads as a duration. `text` is the text; the value is in nanoseconds. */
  | { readonly type: 'DURATION'; readonly value: bigint; readonly text: string };

export type BinaryOperator =
  | '||'
  | '&&'
  | '=='
  | '!='
  | '<'
  | '<='
  | '>'
  | '>='
  | '+'
  | '-'
  | '*'
  | '/'
  | '%'
  | '|'
  | 'in';

export type UnaryOperator = '!' | '-' | '+';

/**
 * An expression as it is written, the same for all languages. `offset` is the index of its first character, for errors; of a
 * binary operation, of its operator.
 */
export type SyntaxNode = { readonly offset: number } & (
  | { readonly kind: 'literal'; readonly literal: Literal }
  /** One identifier. */
  | { readonly kind: 'name'; readonly name: string }
  /** `operand.field`: a part of an attribute's name, or an entry of a map. */
  | { readonly kind: 'select'; readonly operand: SyntaxNode; readonly field: string }
  | { readonly kind: 'index'; readonly operand: SyntaxNode; readonly index: SyntaxNode }
  | { readonly kind: 'unary'; readonly operator: UnaryOperator; readonly operand: SyntaxNode }
  | {
      readonly kind: 'binary';
      readonly operator: BinaryOperator;
      readonly left: SyntaxNode;
      readonly right: SyntaxNode;
    }
  | {
      readonly kind: 'conditional';
      readonly condition: SyntaxNode;
      readonly ifTrue: SyntaxNode;
      readonly ifFalse: SyntaxNode;
    }
  | {
      readonly kind: 'call';
      readonly name: string;
      /** Of a method: `target.name(…)`. */
      readonly target?: SyntaxNode;
      readonly parameters: readonly SyntaxNode[];
    }
  | { readonly kind: 'list'; readonly elements: readonly SyntaxNode[] }
  | { readonly kind: 'map'; readonly entries: readonly (readonly [key: SyntaxNode, value: SyntaxNode])[] }
);
