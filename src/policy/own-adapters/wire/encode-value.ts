import type { Writer } from 'protobufjs';
import type { LeafType } from '../../../config/policy-rules/descriptors/template-wire.js';
import { writeDuration, writeTimestamp } from '../../../config/policy-rules/descriptors/well-known-values.js';
import { wireLong } from '../../../config/policy-rules/descriptors/wire-long.js';
import type { ValueType } from '../../../expressions/expression-types.js';
import type { AttributeValue } from '../../client/attribute-value.js';
import { valueText } from '../../rules/value-text.js';

/** Numbers of the fields of istio.policy.v1beta1.Value (proto/mesh/adapters/values.proto). */
const VALUE_FIELDS: Readonly<Record<ValueType, number>> = {
  STRING: 1,
  INT64: 2,
  DOUBLE: 3,
  BOOL: 4,
  IP_ADDRESS: 5,
  TIMESTAMP: 6,
  DURATION: 7,
  EMAIL_ADDRESS: 8,
  DNS_NAME: 9,
  URI: 10,
  STRING_MAP: 11,
};

/** Types by their number in istio.policy.v1beta1.ValueType. */
export const VALUE_TYPE_NUMBERS: Readonly<Record<ValueType, number>> = {
  STRING: 1,
  INT64: 2,
  DOUBLE: 3,
  BOOL: 4,
  TIMESTAMP: 5,
  IP_ADDRESS: 6,
  EMAIL_ADDRESS: 7,
  URI: 8,
  DNS_NAME: 9,
  DURATION: 10,
  STRING_MAP: 11,
};

const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;

export function fieldTag(number: number, wireType: number): number {
  return ((number << 3) | wireType) >>> 0;
}

/**
 * Writes a field with one value.
 *
 * @param leaf the type of the field. @param type the type of the value, which a field of any type needs
 */
export function writeValueField(
  writer: Writer,
  number: number,
  leaf: LeafType,
  type: ValueType | undefined,
  value: AttributeValue,
): void {
  if (leaf === 'STRING' && value.type !== 'string') {
    // Instances of listentry may have other values, for example addresses.
    writer.uint32(fieldTag(number, BYTES)).string(valueText(value));
  } else if (leaf !== 'any') writeTypedField(writer, number, leaf, value);
  else {
    const known = type ?? typeOf(value);
    writer.uint32(fieldTag(number, BYTES)).fork();
    writeTypedField(writer, VALUE_FIELDS[known], known, value);
    writer.ldelim();
  }
}

function writeTypedField(writer: Writer, number: number, type: ValueType, value: AttributeValue): void {
  switch (value.type) {
    case 'int64':
      writer.uint32(fieldTag(number, VARINT)).int64(wireLong(value.value));
      return;
    case 'double':
      writer.uint32(fieldTag(number, FIXED64)).double(value.value);
      return;
    case 'bool':
      writer.uint32(fieldTag(number, VARINT)).bool(value.value);
      return;
    case 'string':
      if (type === 'STRING') writer.uint32(fieldTag(number, BYTES)).string(value.value);
      else writer.uint32(fieldTag(number, BYTES)).fork().uint32(fieldTag(1, BYTES)).string(value.value).ldelim();
      return;
    case 'bytes':
      writer.uint32(fieldTag(number, BYTES)).fork().uint32(fieldTag(1, BYTES)).bytes(value.value).ldelim();
      return;
    case 'timestamp':
      writeTime(writer, number, (content) => writeTimestamp(content, value.value));
      return;
    case 'duration':
      writeTime(writer, number, (content) => writeDuration(content, value.value));
      return;
    case 'stringMap':
      writer.uint32(fieldTag(number, BYTES)).fork();
      for (const [key, text] of value.value) {
        writer.uint32(fieldTag(1, BYTES)).fork();
        writer.uint32(fieldTag(1, BYTES)).string(key).uint32(fieldTag(2, BYTES)).string(text).ldelim();
      }
      writer.ldelim();
  }
}

/** A message of the published package around one of google.protobuf. */
function writeTime(writer: Writer, number: number, write: (writer: Writer) => void): void {
  writer.uint32(fieldTag(number, BYTES)).fork().uint32(fieldTag(1, BYTES)).fork();
  write(writer);
  writer.ldelim().ldelim();
}

/** The usual type of a value, for one whose expression is not known. */
function typeOf({ type }: AttributeValue): ValueType {
  switch (type) {
    case 'string':
      return 'STRING';
    case 'int64':
      return 'INT64';
    case 'double':
      return 'DOUBLE';
    case 'bool':
      return 'BOOL';
    case 'bytes':
      return 'IP_ADDRESS';
    case 'timestamp':
      return 'TIMESTAMP';
    case 'duration':
      return 'DURATION';
    case 'stringMap':
      return 'STRING_MAP';
  }
}
