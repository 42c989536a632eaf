import type { ValueType } from '../expression-types.js';
import type { FunctionRun } from '../functions/expression-function.js';
import type { NativeValue } from '../values/native-value.js';
import type { ExpressionType } from './expression-type.js';

export type Macro = 'all' | 'exists' | 'exists_one' | 'filter' | 'map';

/** A checked expression: every name is resolved, and every part has a type that its use accepts. */
export type TypedNode = { readonly type: ExpressionType } & (
  | { readonly kind: 'constant'; readonly value: NativeValue }
  | AttributeNode
  /** The variable of a macro, by its slot. */
  | { readonly kind: 'variable'; readonly slot: number }
  | EntryNode
  | { readonly kind: 'element'; readonly list: TypedNode; readonly index: TypedNode }
  | { readonly kind: 'and' | 'or'; readonly left: TypedNode; readonly right: TypedNode }
  | {
      readonly kind: 'conditional';
      readonly condition: TypedNode;
      readonly ifTrue: TypedNode;
      readonly ifFalse: TypedNode;
    }
  /** The first choice that the request has. */
  | { readonly kind: 'first'; readonly choices: readonly TypedNode[] }
  /** Whether the request has an attribute or an entry. */
  | { readonly kind: 'presence'; readonly of: AttributeNode | EntryNode }
  /** An operator or a function. */
  | ApplyNode
  /** A match of a text with a regular expression. */
  | { readonly kind: 'matches'; readonly text: TypedNode; readonly pattern: TypedNode }
  | { readonly kind: 'list'; readonly elements: readonly TypedNode[] }
  | { readonly kind: 'map'; readonly entries: readonly (readonly [key: TypedNode, value: TypedNode])[] }
  | {
      readonly kind: 'macro';
      readonly macro: Macro;
      readonly range: TypedNode;
      readonly slot: number;
      /** Absent: all elements. */
      readonly predicate?: TypedNode;
      /** Of `map`. */
      readonly transform?: TypedNode;
      /** Parts of predicate and transform: the work of one element. */
      readonly nodes: number;
    }
);

export interface ApplyNode {
  readonly kind: 'apply';
  readonly type: ExpressionType;
  /** Operator or name. */
  readonly name: string;
  readonly run: FunctionRun;
  readonly parameters: readonly TypedNode[];
}

export interface AttributeNode {
  readonly kind: 'attribute';
  readonly type: ValueType;
  readonly name: string;
}

/** The value of a map's key. */
export interface EntryNode {
  readonly kind: 'entry';
  readonly type: 'STRING';
  readonly map: TypedNode;
  readonly key: TypedNode;
}
