import type { TSchema } from 'typebox';
import { isRecord } from '../../../base/record.js';
import { enumName } from './enum-numbers.js';

/** The part of a JSON schema that this file uses. */
interface SchemaNode {
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly additionalProperties?: SchemaNode | boolean;
  readonly items?: SchemaNode;
  readonly enum?: readonly string[];
}

/** `label_names` becomes `labelNames`. */
export function camelCase(name: string): string {
  return name.replace(/([a-z0-9])_([a-z])/g, (_, before: string, letter: string) => before + letter.toUpperCase());
}

/**
 * Renames the fields of a value that are written in snake_case, and replaces the numbers of enum values by their names, as
 * the JSON form of messages allows both. Keys of maps stay. A field that is written in both forms stays twice, so that
 * reading it finds an unknown field.
 */
export function canonicalFields(schema: TSchema, value: unknown): unknown {
  return renamed(schema as SchemaNode, value);
}

function renamed({ items, properties, additionalProperties, enum: names }: SchemaNode, value: unknown): unknown {
  if (names !== undefined) return enumName(names, value);
  if (Array.isArray(value)) return items === undefined ? value : value.map((item) => renamed(items, item));
  if (!isRecord(value)) return value;
  if (properties !== undefined) {
    return Object.fromEntries(
      Object.entries(value).map(([written, each]) => {
        const name = nameOf(written, value, properties);
        const node = Object.hasOwn(properties, name) ? properties[name] : undefined;
        return [name, node === undefined ? each : renamed(node, each)];
      }),
    );
  }
  if (typeof additionalProperties !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, renamed(additionalProperties, each)]));
}

function nameOf(written: string, value: object, properties: Readonly<Record<string, SchemaNode>>): string {
  const camel = camelCase(written);
  if (Object.hasOwn(properties, written) || !Object.hasOwn(properties, camel)) return written;
  return Object.hasOwn(value, camel) ? written : camel;
}
