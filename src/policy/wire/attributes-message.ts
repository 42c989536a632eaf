import type { AttributesSpec, AttributeValueSpec } from '../../config/policy/attributes.js';
import type { Attributes__Output } from '../../generated/policy/mesh/policy/v1/Attributes.js';
import type { AttributeValue__Output } from '../../generated/policy/mesh/policy/v1/AttributeValue.js';
import type { AttributeLayer } from '../client/attribute-bag.js';
import type { AttributeValue } from '../client/attribute-value.js';
import { readAttributes } from '../client/attributes-from-config.js';
import { configDurationText, durationMessage, nanosecondsOf, timestampMessage, timestampText } from './wire-time.js';

/** Attributes as a message of `mesh.policy.v1`. */
export function attributesMessage(layer: AttributeLayer): Attributes__Output {
  return { attributes: Object.fromEntries([...layer].map(([name, value]) => [name, valueMessage(value)])) };
}

/**
 * Attributes as they are written, as a message.
 *
 * @throws AttributeValueError when a value cannot be read; validated configuration does not get here
 */
export function attributesSpecMessage(spec: AttributesSpec): Attributes__Output {
  return attributesMessage(readAttributes(spec, 'attributes'));
}

/** The attributes of a message. Values of unknown types are left out. */
export function readAttributesMessage({ attributes = {} }: Attributes__Output): AttributeLayer {
  const layer = new Map<string, AttributeValue>();
  for (const [name, message] of Object.entries(attributes)) {
    const value = readValueMessage(message);
    if (value !== undefined) layer.set(name, value);
  }
  return layer;
}

/**
 * Attributes as they are written in YAML.
 *
 * @param field path of the attributes, for errors
 * @throws PolicyWireError for a time that cannot be written
 */
export function attributesSpecOf(layer: AttributeLayer, field: string): AttributesSpec {
  const specs = [...layer].map(([name, value]) => {
    return [name, valueSpecOf(value, `${field}.attributes[${JSON.stringify(name)}]`)] as const;
  });
  return { attributes: Object.fromEntries(specs) };
}

function valueMessage(attribute: AttributeValue): AttributeValue__Output {
  switch (attribute.type) {
    case 'string':
      return { stringValue: attribute.value };
    case 'int64':
      return { int64Value: String(attribute.value) };
    case 'double':
      return { doubleValue: attribute.value };
    case 'bool':
      return { boolValue: attribute.value };
    case 'bytes':
      return { bytesValue: Buffer.from(attribute.value) };
    case 'timestamp':
      return { timestampValue: timestampMessage(attribute.value) };
    case 'duration':
      return { durationValue: durationMessage(attribute.value) };
    case 'stringMap':
      return { stringMapValue: { entries: Object.fromEntries(attribute.value) } };
  }
}

function readValueMessage(message: AttributeValue__Output): AttributeValue | undefined {
  if (message.stringValue !== undefined) return { type: 'string', value: message.stringValue };
  if (message.int64Value !== undefined) return { type: 'int64', value: BigInt(message.int64Value) };
  if (message.doubleValue !== undefined) return { type: 'double', value: message.doubleValue };
  if (message.boolValue !== undefined) return { type: 'bool', value: message.boolValue };
  if (message.bytesValue !== undefined) return { type: 'bytes', value: message.bytesValue };
  if (message.timestampValue) return { type: 'timestamp', value: nanosecondsOf(message.timestampValue) };
  if (message.durationValue) return { type: 'duration', value: nanosecondsOf(message.durationValue) };
  if (message.stringMapValue) {
    return { type: 'stringMap', value: new Map(Object.entries(message.stringMapValue.entries ?? {})) };
  }
  return undefined;
}

function valueSpecOf(attribute: AttributeValue, field: string): AttributeValueSpec {
  switch (attribute.type) {
    case 'string':
      return { stringValue: attribute.value };
    case 'int64': {
      const number = Number(attribute.value);
      return { int64Value: Number.isSafeInteger(number) ? number : String(attribute.value) };
    }
    case 'double':
      return { doubleValue: attribute.value };
    case 'bool':
      return { boolValue: attribute.value };
    case 'bytes':
      return { bytesValue: Buffer.from(attribute.value).toString('base64') };
    case 'timestamp':
      return { timestampValue: timestampText(attribute.value, `${field}.timestampValue`) };
    case 'duration':
      return { durationValue: configDurationText(attribute.value, `${field}.durationValue`) };
    case 'stringMap':
      return { stringMapValue: { entries: Object.fromEntries(attribute.value) } };
  }
}
