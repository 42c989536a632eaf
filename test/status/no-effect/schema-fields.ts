import type { KindDefinition } from '../../../src/config/kind-definition.js';

/** The parts of a JSON schema that the walk reads. */
export interface SchemaNode {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly additionalProperties?: SchemaNode | boolean;
  readonly items?: SchemaNode;
  readonly anyOf?: readonly SchemaNode[];
  /** Messages do not show the value. */
  readonly writeOnly?: boolean;
}

/** One field of a kind: `rules[].match[].clause{}.exact`; `[]` is an item of a list, `{}` a value of a map. */
export interface SchemaField {
  readonly kind: string;
  readonly path: string;
  readonly schema: SchemaNode;
}

/** Every field of a kind's schema, list items and map values included, in the order of the schema. */
export function fieldsOf({ kind, schema }: Pick<KindDefinition, 'kind' | 'schema'>): readonly SchemaField[] {
  return [...walk(kind, '', schema as SchemaNode)];
}

function* walk(kind: string, path: string, schema: SchemaNode): Iterable<SchemaField> {
  if (path !== '') yield { kind, path, schema };
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    yield* walk(kind, path === '' ? name : `${path}.${name}`, property);
  }
  if (schema.items !== undefined) yield* walk(kind, `${path}[]`, schema.items);
  if (typeof schema.additionalProperties === 'object') yield* walk(kind, `${path}{}`, schema.additionalProperties);
}
