import type { Struct } from '../generated/google/protobuf/Struct.js';
import type { Value } from '../generated/google/protobuf/Value.js';

/** A value of a google.protobuf.Struct. */
export type StructValue =
  | null
  | boolean
  | number
  | string
  | readonly StructValue[]
  | { readonly [key: string]: StructValue };

/** A google.protobuf.Struct, the form of Envoy's metadata, from a plain object. */
export function struct(fields: { readonly [key: string]: StructValue }): Struct {
  return { fields: Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, toValue(value)])) };
}

function toValue(value: StructValue): Value {
  if (value === null) return { nullValue: 'NULL_VALUE' };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number') return { numberValue: value };
  if (typeof value === 'string') return { stringValue: value };
  return isList(value) ? { listValue: { values: value.map(toValue) } } : { structValue: struct(value) };
}

function isList(
  value: readonly StructValue[] | { readonly [key: string]: StructValue },
): value is readonly StructValue[] {
  return Array.isArray(value);
}
