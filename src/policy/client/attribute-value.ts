import type { AttributeValue } from '../../expressions/attribute-value.js';

export type { AttributeValue };

/** The transport type of a value. */
export type AttributeType = AttributeValue['type'];

export function stringAttribute(value: string): AttributeValue {
  return { type: 'string', value };
}

/** A whole number. Fractions are cut off, and numbers beyond 64 bits wrap as on the wire. */
export function int64Attribute(value: bigint | number): AttributeValue {
  return { type: 'int64', value: BigInt.asIntN(64, typeof value === 'bigint' ? value : BigInt(Math.trunc(value))) };
}

export function doubleAttribute(value: number): AttributeValue {
  return { type: 'double', value };
}

export function boolAttribute(value: boolean): AttributeValue {
  return { type: 'bool', value };
}

export function bytesAttribute(value: Uint8Array): AttributeValue {
  return { type: 'bytes', value };
}

/** @param epochNs nanoseconds since 1970-01-01T00:00:00Z */
export function timestampAttribute(epochNs: bigint): AttributeValue {
  return { type: 'timestamp', value: epochNs };
}

/** @param nanoseconds may be negative */
export function durationAttribute(nanoseconds: bigint): AttributeValue {
  return { type: 'duration', value: nanoseconds };
}

export function stringMapAttribute(value: ReadonlyMap<string, string>): AttributeValue {
  return { type: 'stringMap', value };
}

/** An unset attribute is absent, never empty: these functions return undefined for missing and empty values. */
export function optionalString(value: string | undefined): AttributeValue | undefined {
  return value === undefined || value === '' ? undefined : stringAttribute(value);
}

export function optionalBytes(value: Uint8Array | undefined): AttributeValue | undefined {
  return value === undefined || value.length === 0 ? undefined : bytesAttribute(value);
}

export function optionalStringMap(value: ReadonlyMap<string, string> | undefined): AttributeValue | undefined {
  return value === undefined || value.size === 0 ? undefined : stringMapAttribute(value);
}

export function optionalBool(value: boolean | undefined): AttributeValue | undefined {
  return value === undefined ? undefined : boolAttribute(value);
}
