import { ipAddressBytes } from '../../../base/ip-address.js';
import type { WireAddress, WireInt64, WireStruct, WireTimestamp, WireValue } from './envoy-messages.js';

const NANOSECONDS_PER_SECOND = 1_000_000_000n;

/** A 64-bit integer with all its digits; 0 when it is missing, as on the wire. */
export function wireInt64(value: WireInt64 | null | undefined): bigint {
  return value === undefined || value === null ? 0n : BigInt(value.toString());
}

/** Nanoseconds of a Timestamp, since 1970-01-01T00:00:00Z, or of a Duration. */
export function wireNanoseconds(value: WireTimestamp | null | undefined): bigint | undefined {
  if (value === undefined || value === null) return undefined;
  return wireInt64(value.seconds) * NANOSECONDS_PER_SECOND + BigInt(value.nanos ?? 0);
}

/** An IP address in network byte order, 4 or 16 bytes; undefined for pipes and other addresses. */
export function ipBytesOf(address: WireAddress | null | undefined): Uint8Array | undefined {
  const text = address?.socketAddress?.address;
  return text ? ipAddressBytes(text) : undefined;
}

/** Undefined for a pipe. */
export function portOf(address: WireAddress | null | undefined): number | undefined {
  return address?.socketAddress?.portValue || undefined;
}

/** The JSON value of a google.protobuf.Value. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/** Envoy limits the depth of claims. Other senders might not. */
const MAX_DEPTH = 64;

/** The object of a Struct. Values that are nested too deep become null. */
export function jsonOfStruct(struct: WireStruct, depth = 0): { readonly [key: string]: JsonValue } {
  // Object.fromEntries makes __proto__ an ordinary key.
  return Object.fromEntries(
    Object.entries(struct.fields ?? {}).map(([key, value]) => [key, jsonOfValue(value, depth + 1)]),
  );
}

/** The value of a JSON text; undefined for another text. Values that are nested too deep become null. */
export function jsonOfText(text: string): JsonValue | undefined {
  try {
    return shallow(JSON.parse(text) as JsonValue, 0);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function shallow(value: JsonValue, depth: number): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  if (depth > MAX_DEPTH) return null;
  if (Array.isArray(value)) return value.map((item: JsonValue) => shallow(item, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shallow(item, depth + 1)]));
}

/** A member with a text; undefined for an empty one. */
export function textField(struct: WireStruct | undefined, key: string): string | undefined {
  const value = jsonOfField(struct, key);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A member with a number. */
export function numberField(struct: WireStruct | undefined, key: string): number | undefined {
  const value = jsonOfField(struct, key);
  return typeof value === 'number' ? value : undefined;
}

/** A member with true or false. */
export function boolField(struct: WireStruct | undefined, key: string): boolean | undefined {
  const value = jsonOfField(struct, key);
  return typeof value === 'boolean' ? value : undefined;
}

function jsonOfField(struct: WireStruct | undefined, key: string): JsonValue | undefined {
  const fields = struct?.fields;
  if (fields === undefined || !Object.hasOwn(fields, key)) return undefined;
  const value = fields[key];
  return value === undefined ? undefined : jsonOfValue(value, 1);
}

function jsonOfValue(value: WireValue, depth: number): JsonValue {
  if (depth > MAX_DEPTH) return null;
  // Only own members: a decoded message inherits defaults for unset members.
  if (Object.hasOwn(value, 'stringValue')) return value.stringValue ?? null;
  if (Object.hasOwn(value, 'numberValue')) return value.numberValue ?? null;
  if (Object.hasOwn(value, 'boolValue')) return value.boolValue ?? null;
  if (value.structValue) return jsonOfStruct(value.structValue, depth);
  if (value.listValue) return (value.listValue.values ?? []).map((item) => jsonOfValue(item, depth + 1));
  return null;
}
