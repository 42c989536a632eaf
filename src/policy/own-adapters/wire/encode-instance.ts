import protobuf, { type Writer } from 'protobufjs';
import { camelCase } from '../../../config/policy-rules/catalogue/canonical-fields.js';
import type { FieldWire, TemplateWire } from '../../../config/policy-rules/descriptors/template-wire.js';
import type { ValueType } from '../../../expressions/expression-types.js';
import type { AttributeValue } from '../../client/attribute-value.js';
import type { Instance } from '../../rules/instance.js';
import { fieldTag, writeValueField } from './encode-value.js';

const BYTES = 2;
const NO_VALUES: ReadonlyMap<string, AttributeValue> = new Map();
const NO_TYPES: ReadonlyMap<string, ValueType> = new Map();

/** The name of an instance in calls: `name.instance.namespace`. */
export function wireName({ name, fullName }: Pick<Instance, 'name' | 'fullName'>): string {
  return `${name}.instance.${fullName.slice(0, fullName.indexOf('/'))}`;
}

/** Encodes instances of one template as its message InstanceMsg. */
export function createInstanceEncoder({ fields, instanceName }: TemplateWire): (instance: Instance) => Uint8Array {
  const plans = fields.map((field) => planOf(field, ''));
  return (instance) => {
    const writer = protobuf.Writer.create();
    for (const write of plans) write(writer, instance);
    if (instanceName !== undefined) writer.uint32(fieldTag(instanceName, BYTES)).string(wireName(instance));
    return writer.finish();
  };
}

type WriteField = (writer: Writer, instance: Instance) => void;

/** @param map where an instance keeps the values of the message: empty, or names with dots */
function planOf(field: FieldWire, map: string): WriteField {
  const { number } = field;
  const name = camelCase(field.name);
  const path = map === '' ? name : `${map}.${name}`;
  switch (field.type) {
    case 'value':
      return (writer, { values, maps, types }) => {
        const value = (map === '' ? values : maps.get(map))?.get(name);
        if (value !== undefined) writeValueField(writer, number, field.valueType, types.get(map)?.get(name), value);
      };
    case 'values':
      return (writer, { maps, types }) => {
        const typesOfMap = types.get(path) ?? NO_TYPES;
        for (const [key, value] of maps.get(path) ?? NO_VALUES) {
          writer.uint32(fieldTag(number, BYTES)).fork().uint32(fieldTag(1, BYTES)).string(key);
          writeValueField(writer, 2, field.valueType, typesOfMap.get(key), value);
          writer.ldelim();
        }
      };
    case 'message': {
      const plans = field.fields.map((each) => planOf(each, path));
      return (writer, instance) => {
        writer.uint32(fieldTag(number, BYTES)).fork();
        for (const write of plans) write(writer, instance);
        writer.ldelim();
      };
    }
  }
}
