import protobuf from 'protobufjs';
import type { OutputFieldWire } from '../../../config/policy-rules/descriptors/template-wire.js';
import { wireFields, wireText } from '../../../config/policy-rules/descriptors/wire-fields.js';
import type { AttributeValue } from '../../client/attribute-value.js';
import { readLong } from './read-long.js';

/** Bytes of all output of an answer, which rules put into headers. */
const MAX_BYTES = 64 * 1024;
const NANOSECONDS = 1_000_000_000n;
const FIXED64 = 1;

/**
 * The values that an adapter returns, by name of the field. A field that the answer lacks has the value of an empty
 * message, as every reader of messages sees it: 0, false or an empty text. Absent are addresses, times and durations then.
 *
 * @throws Error for bytes that are no message, or too many
 */
export function readOutput(fields: readonly OutputFieldWire[], bytes: Uint8Array): ReadonlyMap<string, AttributeValue> {
  if (bytes.length > MAX_BYTES) throw new Error(`the adapter returned ${bytes.length} bytes of output`);
  const values = new Map<string, AttributeValue>();
  for (const field of fields) {
    const value = valueOf(field, bytes);
    if (value !== undefined) values.set(field.name, value);
  }
  return values;
}

function valueOf({ number, valueType }: OutputFieldWire, bytes: Uint8Array): AttributeValue | undefined {
  switch (valueType) {
    case 'STRING':
      return { type: 'string', value: wireText(lastBytes(bytes, number) ?? new Uint8Array()) };
    case 'INT64':
      return { type: 'int64', value: readLong(bytes, number) };
    case 'BOOL':
      return { type: 'bool', value: readLong(bytes, number) !== 0n };
    case 'DOUBLE':
      return { type: 'double', value: lastDouble(bytes, number) };
    case 'STRING_MAP':
      return { type: 'stringMap', value: textEntries(bytes, number) };
    default: {
      const content = lastBytes(bytes, number);
      return content && wrappedValue(valueType, content);
    }
  }
}

/** The value of a message of the published package, whose only field is 1. */
function wrappedValue(
  valueType: Exclude<OutputFieldWire['valueType'], 'STRING' | 'INT64' | 'BOOL' | 'DOUBLE' | 'STRING_MAP'>,
  bytes: Uint8Array,
): AttributeValue | undefined {
  const content = lastBytes(bytes, 1) ?? new Uint8Array();
  switch (valueType) {
    case 'EMAIL_ADDRESS':
    case 'URI':
    case 'DNS_NAME':
      return { type: 'string', value: wireText(content) };
    case 'IP_ADDRESS':
      return content.length === 4 || content.length === 16 ? { type: 'bytes', value: content } : undefined;
    case 'TIMESTAMP':
      return { type: 'timestamp', value: nanoseconds(content) };
    case 'DURATION':
      return { type: 'duration', value: nanoseconds(content) };
  }
}

function nanoseconds(bytes: Uint8Array): bigint {
  return BigInt.asIntN(64, readLong(bytes, 1) * NANOSECONDS + BigInt.asIntN(32, readLong(bytes, 2)));
}

function lastBytes(bytes: Uint8Array, number: number): Uint8Array | undefined {
  let found: Uint8Array | undefined;
  for (const field of wireFields(bytes)) if (field.number === number && field.type === 'bytes') found = field.value;
  return found;
}

function lastDouble(bytes: Uint8Array, number: number): number {
  const reader = protobuf.Reader.create(bytes);
  let found = 0;
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    if (tag >>> 3 === number && (tag & 7) === FIXED64) found = reader.double();
    else reader.skipType(tag & 7);
  }
  return found;
}

function textEntries(bytes: Uint8Array, number: number): ReadonlyMap<string, string> {
  const entries = new Map<string, string>();
  for (const field of wireFields(bytes)) {
    if (field.number !== number || field.type !== 'bytes') continue;
    entries.set(
      wireText(lastBytes(field.value, 1) ?? new Uint8Array()),
      wireText(lastBytes(field.value, 2) ?? new Uint8Array()),
    );
  }
  return entries;
}
