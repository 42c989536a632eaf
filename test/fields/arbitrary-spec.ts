import type { TSchema } from 'typebox';
import fc from '../support/property-testing.js';

/** Values by the name of their field, so that objects name the hosts, subsets and files that a mesh has. */
export interface ValuePools {
  readonly byField: Readonly<Record<string, readonly unknown[]>>;
  /** Fields that get no other values: Envoy takes no configuration that names a file which is not there. */
  readonly only: ReadonlySet<string>;
}

interface JsonSchema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly patternProperties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
  readonly minItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
}

const INTEGERS = [0, 1, 2, 50, 100, 80, 443, 8080, 9000, 503, 302];
/** Text as a careless or hostile author writes it. */
const ANY_TEXT = fc.oneof(fc.constantFrom('', ' ', '*', '/', 'a', 'é', '%', 'a\u0000b'), fc.string({ maxLength: 8 }));
const MAX_ITEMS = 3;
const MAX_DEPTH = 8;

/** Bodies of the shape of a schema: each optional field is there or not, lists are short, texts come from the pools. */
export function arbitrarySpec(schema: TSchema, pools: ValuePools): fc.Arbitrary<unknown> {
  return valueOf(schema as JsonSchema, '', pools, 0);
}

function valueOf(schema: JsonSchema, field: string, pools: ValuePools, depth: number): fc.Arbitrary<unknown> {
  const pool = pools.byField[field];
  const fitting = pool?.filter((value) => typeof value === jsTypeOf(schema));
  if (fitting !== undefined && fitting.length > 0) {
    if (pools.only.has(field)) return fc.constantFrom(...fitting);
    return fc.oneof({ weight: 12, arbitrary: fc.constantFrom(...fitting) }, plainValueOf(schema, field, pools, depth));
  }
  return plainValueOf(schema, field, pools, depth);
}

function jsTypeOf({ type, properties }: JsonSchema): string {
  if (type === 'string' || type === 'boolean') return type;
  if (type === 'integer' || type === 'number') return 'number';
  return type === 'array' || properties !== undefined ? 'none' : 'object';
}

function plainValueOf(schema: JsonSchema, field: string, pools: ValuePools, depth: number): fc.Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map((each) => valueOf(each, field, pools, depth)));
  switch (schema.type) {
    case 'boolean':
      return fc.boolean();
    case 'integer':
    case 'number':
      return integerOf(schema);
    case 'array':
      return fc.array(valueOf(schema.items ?? {}, field, pools, depth + 1), {
        minLength: schema.minItems ?? 0,
        maxLength: MAX_ITEMS,
      });
    case 'object':
      return objectOf(schema, field, pools, depth);
    default:
      return ANY_TEXT;
  }
}

function integerOf({ minimum = 0, maximum = 65_535 }: JsonSchema): fc.Arbitrary<number> {
  const known = INTEGERS.filter((value) => value >= minimum && value <= maximum);
  const any = fc.integer({ min: minimum, max: maximum });
  return known.length === 0 ? any : fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...known) }, any);
}

function objectOf(schema: JsonSchema, field: string, pools: ValuePools, depth: number): fc.Arbitrary<unknown> {
  const { properties, required = [] } = schema;
  if (properties !== undefined) {
    const names = Object.keys(properties).filter((name) => depth < MAX_DEPTH || required.includes(name));
    const fields = Object.fromEntries(
      names.map((name) => [name, valueOf(properties[name] ?? {}, name, pools, depth + 1)]),
    );
    return fc.record(fields, { requiredKeys: [...required] });
  }
  const [ofPattern] = Object.values(schema.patternProperties ?? {});
  const values = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : (ofPattern ?? {});
  const keys = fc.oneof({ weight: 8, arbitrary: fc.constantFrom(...keysOf(field, pools)) }, ANY_TEXT);
  return fc.dictionary(keys, valueOf(values, `${field}.value`, pools, depth + 1), { maxKeys: 2 });
}

function keysOf(field: string, pools: ValuePools): readonly string[] {
  return (pools.byField[`${field}.key`] ?? ['app', 'version', '8080']) as readonly string[];
}
