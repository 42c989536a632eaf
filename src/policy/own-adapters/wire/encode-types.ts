import protobuf, { type Writer } from 'protobufjs';
import { camelCase } from '../../../config/policy-rules/catalogue/canonical-fields.js';
import type { FieldWire, TemplateWire } from '../../../config/policy-rules/descriptors/template-wire.js';
import type { InstanceTypes } from '../../rules/instance.js';
import { fieldTag, VALUE_TYPE_NUMBERS } from './encode-value.js';

const VARINT = 0;
const BYTES = 2;

/** Encodes the message Type of a template: the types of the fields and entries that may have any type. */
export function encodeTypes({ fields }: TemplateWire, types: InstanceTypes): Uint8Array {
  const writer = protobuf.Writer.create();
  for (const field of fields) writeTypes(writer, field, '', types);
  return writer.finish();
}

function writeTypes(writer: Writer, field: FieldWire, map: string, types: InstanceTypes): void {
  const { number } = field;
  const name = camelCase(field.name);
  const path = map === '' ? name : `${map}.${name}`;
  if (field.type === 'message') {
    writer.uint32(fieldTag(number, BYTES)).fork();
    for (const each of field.fields) writeTypes(writer, each, path, types);
    writer.ldelim();
  } else if (field.valueType !== 'any') {
    // The descriptor says the type.
  } else if (field.type === 'value') {
    const type = types.get(map)?.get(name);
    if (type !== undefined) writer.uint32(fieldTag(number, VARINT)).int32(VALUE_TYPE_NUMBERS[type]);
  } else {
    for (const [key, type] of types.get(path) ?? []) {
      writer.uint32(fieldTag(number, BYTES)).fork().uint32(fieldTag(1, BYTES)).string(key);
      writer.uint32(fieldTag(2, VARINT)).int32(VALUE_TYPE_NUMBERS[type]).ldelim();
    }
  }
}
