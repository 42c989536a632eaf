import type { AttributeValue } from './attribute-value.js';

/**
 * The languages of rules, values of `MESH_LANG`. `compat` is the syntax of `legacy` with the semantics of `cel`
 * (docs/expressions.md).
 */
export type ExpressionLanguage = 'legacy' | 'compat' | 'cel';

/** The types of attributes and results: the value types of the policy kinds. */
export type ValueType =
  | 'STRING'
  | 'INT64'
  | 'DOUBLE'
  | 'BOOL'
  | 'TIMESTAMP'
  | 'IP_ADDRESS'
  | 'EMAIL_ADDRESS'
  | 'URI'
  | 'DNS_NAME'
  | 'DURATION'
  | 'STRING_MAP';

/** The attributes that expressions may read. */
export interface AttributeTypes {
  /** The type of an attribute; undefined if there is no such attribute. */
  typeOf(name: string): ValueType | undefined;
  /** All names. They are the suggestions for misspelled ones. */
  names(): Iterable<string>;
}

/** Why an expression is invalid. */
export interface ExpressionError {
  /** Begins with line and column, both from 1: `1:9: unknown attribute request.sise: did you mean request.size?`. */
  readonly message: string;
  /** Index of the first character that is wrong, in UTF-16 units. */
  readonly offset: number;
}

/** The attributes of one request. */
export interface AttributeReader {
  get(name: string): AttributeValue | undefined;
}

/**
 * The result of one evaluation. Addresses are bytes in network byte order, and e-mail addresses, URIs and DNS names are
 * strings, as in attributes.
 */
export type Evaluation =
  | { readonly type: 'value'; readonly value: AttributeValue }
  | {
      readonly type: 'error';
      /** `absent`: the request lacks the attribute, and the expression has no default for it. */
      readonly reason: 'absent' | 'failed';
      readonly message: string;
    };
