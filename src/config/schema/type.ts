import type { Type as TypeBox } from 'typebox';

/** What our schemas are made with. */
type Builders = Pick<
  typeof TypeBox,
  | 'Array'
  | 'Boolean'
  | 'Enum'
  | 'Integer'
  | 'Number'
  | 'Object'
  | 'Optional'
  | 'Record'
  | 'String'
  | 'Union'
  | 'Unknown'
  | 'Unsafe'
>;

type Json = Readonly<Record<string, unknown>>;

/** Fields that an object need not have. */
const optionalFields = new WeakSet<object>();

/**
 * TypeBox as far as we use it: its types, so that `Static` knows what a schema describes, and by ourselves the JSON
 * schemas that it makes. To load all of TypeBox, 370 modules, would take as long as anything else at a start.
 */
export const Type = {
  Array: (items: Json, options?: Json) => ({ type: 'array', items, ...options }),
  Boolean: (options?: Json) => ({ type: 'boolean', ...options }),
  Enum: (values: readonly string[], options?: Json) => ({ enum: values, ...options }),
  Integer: (options?: Json) => ({ type: 'integer', ...options }),
  Number: (options?: Json) => ({ type: 'number', ...options }),
  Object: (properties: Readonly<Record<string, Json>>, options?: Json) => {
    const required = Object.keys(properties).filter((name) => !optionalFields.has(properties[name] ?? {}));
    return { type: 'object', ...(required.length === 0 ? {} : { required }), properties, ...options };
  },
  Optional: (schema: Json) => {
    const optional = { ...schema };
    optionalFields.add(optional);
    return optional;
  },
  /** Of any keys. */
  Record: (_keys: Json, values: Json, options?: Json) => ({
    type: 'object',
    patternProperties: { '^.*$': values },
    ...options,
  }),
  String: (options?: Json) => ({ type: 'string', ...options }),
  Union: (anyOf: readonly Json[], options?: Json) => ({ anyOf, ...options }),
  Unknown: (options?: Json) => ({ ...options }),
  Unsafe: (schema: Json) => ({ ...schema }),
} as unknown as Builders;
