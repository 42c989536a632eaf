import type { TSchema } from 'typebox';
import { isRecord } from '../../base/record.js';

/** A field that the schema does not know. */
export interface UnknownField {
  /** Path of the object that has the field. */
  readonly path: readonly (string | number)[];
  readonly field: string;
  /** Undefined where the object may have credentials. */
  readonly value: unknown;
  readonly known: readonly string[];
}

/** Copies the known fields of a value. Calls `onUnknown` for each unknown field. */
export type BodyCopier = (value: unknown, onUnknown: (field: UnknownField) => void) => unknown;

type Step = string | number;
type Copy = (value: unknown, path: Step[], onUnknown: (field: UnknownField) => void) => unknown;

/** The part of a JSON schema that the copier uses. */
interface SchemaNode {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly additionalProperties?: SchemaNode | boolean;
  readonly items?: SchemaNode;
  readonly default?: unknown;
  readonly writeOnly?: boolean;
}

/**
 * Makes a function that copies parsed input: the known fields in the schema's order (so that objects of one kind share a
 * memory layout), with defaults. It treats `null` as absent, like the API server does. It keeps values of the wrong type,
 * which validation then rejects.
 */
export function createBodyCopier(schema: TSchema): BodyCopier {
  const copy = copyOf(schema as SchemaNode);
  return (value, onUnknown) => copy(value, [], onUnknown);
}

function copyOf(node: SchemaNode): Copy {
  if (node.type === 'array' && node.items !== undefined) return copyArray(copyOf(node.items));
  // Any content: the object is kept as it is.
  if (node.type !== 'object' || node.additionalProperties === true) return (value) => value;
  if (typeof node.additionalProperties === 'object') {
    return copyMap(copyOf(node.additionalProperties), node.additionalProperties.type === 'object');
  }
  return copyObject(node.properties ?? {}, node.writeOnly === true);
}

function copyArray(copyItem: Copy): Copy {
  return (value, path, onUnknown) => {
    if (!Array.isArray(value)) return value;
    return value.map((item, index) => {
      path.push(index);
      const copied = copyItem(item, path, onUnknown);
      path.pop();
      return copied;
    });
  };
}

/** Keeps a null in a map of objects (a clause without a condition), because dropping it would change the meaning. */
function copyMap(copyValue: Copy, keepsNull: boolean): Copy {
  return (value, path, onUnknown) => {
    if (!isRecord(value)) return value;
    const copied: Record<string, unknown> = {};
    for (const key of Object.keys(value)) {
      if (value[key] === null && !keepsNull) continue;
      path.push(key);
      setOwn(copied, key, copyValue(value[key], path, onUnknown));
      path.pop();
    }
    return copied;
  };
}

/** Assigning to `__proto__` would lose the entry, and its clause would match more. The API server accepts such keys. */
function setOwn(copied: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== '__proto__') copied[key] = value;
  else Object.defineProperty(copied, key, { value, enumerable: true, configurable: true, writable: true });
}

function copyObject(properties: Readonly<Record<string, SchemaNode>>, isSecret: boolean): Copy {
  const names = Object.keys(properties);
  const known = new Set(names);
  const fields = names.map((name) => ({
    name,
    fallback: properties[name]?.default,
    copy: copyOf(properties[name] ?? {}),
  }));
  return (value, path, onUnknown) => {
    if (!isRecord(value)) return value;
    const copied: Record<string, unknown> = {};
    for (const { name, fallback, copy } of fields) {
      const found = (Object.hasOwn(value, name) ? value[name] : undefined) ?? fallback;
      if (found === undefined) continue;
      path.push(name);
      copied[name] = copy(found, path, onUnknown);
      path.pop();
    }
    for (const field of Object.keys(value)) {
      if (known.has(field)) continue;
      onUnknown({ path: [...path], field, value: isSecret ? undefined : value[field], known: names });
    }
    return copied;
  };
}
