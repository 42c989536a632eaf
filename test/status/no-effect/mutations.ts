import type { SchemaNode } from './schema-fields.js';

/** A change of one value that may remove its effect. */
export interface Mutation {
  readonly name: 'empty' | 'unknown' | 'repeated' | 'zero' | 'false' | 'unknown key';
  /** The part of the new value that a message must show; undefined for none. */
  readonly shown?: string;
  change(old: unknown): unknown;
}

/** No object, attribute or value has this name. */
export const UNKNOWN = 'no-such-value';
const EMPTY_TEXT: Mutation = { name: 'empty', change: () => '' };
const UNKNOWN_TEXT: Mutation = { name: 'unknown', shown: UNKNOWN, change: () => UNKNOWN };
const HIDDEN_TEXT: Mutation = { name: 'unknown', change: () => UNKNOWN };
const ZERO: Mutation = { name: 'zero', shown: '0', change: () => 0 };
const FALSE: Mutation = { name: 'false', change: () => false };
const EMPTY_LIST: Mutation = { name: 'empty', change: () => [] };
const REPEATED: Mutation = {
  name: 'repeated',
  change: (old) => [...(old as readonly unknown[]), (old as readonly unknown[])[0]],
};
const EMPTY_OBJECT: Mutation = { name: 'empty', change: () => ({}) };
const UNKNOWN_KEY: Mutation = {
  name: 'unknown key',
  shown: UNKNOWN,
  change: (old) =>
    Object.fromEntries(
      Object.entries(old as object).map(([key, value], index) => [index === 0 ? UNKNOWN : key, value]),
    ),
};

/** The values to try for a field, by its type in the schema. */
export function mutationsOf({
  type,
  enum: texts,
  anyOf,
  additionalProperties,
  writeOnly,
}: SchemaNode): readonly Mutation[] {
  if (texts !== undefined) return [EMPTY_TEXT, UNKNOWN_TEXT];
  if (anyOf !== undefined) return [ZERO];
  switch (type) {
    case 'string':
      return [EMPTY_TEXT, writeOnly === true ? HIDDEN_TEXT : UNKNOWN_TEXT];
    case 'integer':
    case 'number':
      return [ZERO];
    case 'boolean':
      return [FALSE];
    case 'array':
      return [EMPTY_LIST, REPEATED];
    case 'object':
      return typeof additionalProperties === 'object' ? [EMPTY_OBJECT, UNKNOWN_KEY] : [EMPTY_OBJECT];
    default:
      throw new Error(`no values are known for the type ${type}: add them to mutationsOf`);
  }
}
