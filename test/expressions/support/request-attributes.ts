import type { AttributeValue } from '../../../src/expressions/attribute-value.js';
import type { AttributeReader, Evaluation } from '../../../src/expressions/expression-types.js';
import { ATTRIBUTES } from './attribute-types.js';

/** Values as tests write them; the manifest says the type. Times and durations are nanoseconds. */
export type Written = string | bigint | number | boolean | Uint8Array | Readonly<Record<string, string>>;

/** The attributes of a request. */
export function requestWith(values: Readonly<Record<string, Written>>): AttributeReader {
  const layer = new Map(Object.entries(values).map(([name, value]) => [name, attributeOf(name, value)]));
  return { get: (name) => layer.get(name) };
}

function attributeOf(name: string, value: Written): AttributeValue {
  switch (typeof value) {
    case 'string':
      return { type: 'string', value };
    case 'number':
      return { type: 'double', value };
    case 'boolean':
      return { type: 'bool', value };
    case 'bigint': {
      const type = ATTRIBUTES.typeOf(name);
      return { type: type === 'TIMESTAMP' ? 'timestamp' : type === 'DURATION' ? 'duration' : 'int64', value };
    }
    default:
      return value instanceof Uint8Array
        ? { type: 'bytes', value }
        : { type: 'stringMap', value: new Map(Object.entries(value)) };
  }
}

/** A result as tests write it: the value, or the beginning of an error's message after `!`. */
export function written(evaluation: Evaluation): Written {
  if (evaluation.type === 'error') return `!${evaluation.message}`;
  const { value } = evaluation;
  return value.type === 'stringMap' ? Object.fromEntries(value.value) : value.value;
}
