import type { Static } from 'typebox';
import { apiVersionOf, type KindDefinition } from './kind-definition.js';
import type { MeshObject } from './object.js';
import { metadataSchema, translateMetadata, validateMetadata } from './read-metadata.js';
import { isRecord } from './schema/body-copier.js';
import type { Immutable } from './schema/immutable.js';
import type { SchemaCompiler, SchemaReader } from './schema/schema-reader.js';
import { joinPath, type Subject, type Violation } from './violation.js';

export interface ReadOptions {
  /** Namespace of a namespaced object that names none. */
  readonly defaultNamespace: string;
}

/** What came of reading one object. */
export type ReadResult =
  | { readonly type: 'object'; readonly object: MeshObject }
  | {
      /** A kind, or a version of it, that is not read here: not an error. */
      readonly type: 'unknown';
      readonly apiVersion: string;
      readonly kind: string;
      /** Versions that a kind of this name is read in. */
      readonly knownApiVersions: readonly string[];
    }
  | { readonly type: 'invalid'; readonly subject: Subject; readonly violations: readonly Violation[] };

export interface ObjectReader {
  readonly definition: KindDefinition;
  read(object: Readonly<Record<string, unknown>>, options: ReadOptions): ReadResult;
}

const ENVELOPE_FIELDS: readonly string[] = ['apiVersion', 'kind', 'metadata', 'spec', 'status'];

export type MetadataReader = SchemaReader<Immutable<Static<typeof metadataSchema>>>;

export function createMetadataReader(compiler: SchemaCompiler): MetadataReader {
  return compiler.compile(metadataSchema, 'ignored');
}

export function createObjectReader(
  definition: KindDefinition,
  compiler: SchemaCompiler,
  metadataReader: MetadataReader,
): ObjectReader {
  const bodyReader: SchemaReader<unknown> = compiler.compile(
    definition.schema,
    definition.unknownFields === 'refused' ? 'reported' : 'ignored',
  );
  return {
    definition,
    read: (raw, options) => {
      const metadata = readMetadata(metadataReader, definition, raw, options);
      const body = readBody(bodyReader, definition, raw);
      const violations = [...unknownEnvelopeFields(definition, raw), ...metadata.violations, ...body.violations];
      if (violations.length > 0 || metadata.value === undefined) {
        return { type: 'invalid', subject: subjectOf(definition, raw, options), violations };
      }
      return {
        type: 'object',
        object: {
          kind: definition.kind,
          apiVersion: apiVersionOf(definition),
          metadata: metadata.value,
          body: body.value,
        },
      };
    },
  };
}

interface Part<Value> {
  readonly value?: Value;
  readonly violations: readonly Violation[];
}

function readMetadata(
  reader: MetadataReader,
  definition: KindDefinition,
  raw: Readonly<Record<string, unknown>>,
  options: ReadOptions,
): Part<MeshObject['metadata']> {
  const result = reader.read(raw['metadata'] ?? {});
  if (result.type === 'invalid') return { violations: below('metadata', result.violations) };
  const value = translateMetadata(result.value, definition.namespaced, options.defaultNamespace);
  return { value, violations: below('metadata', validateMetadata(value)) };
}

function readBody(
  reader: SchemaReader<unknown>,
  definition: KindDefinition,
  raw: Readonly<Record<string, unknown>>,
): Part<unknown> {
  const parent = definition.bodyAt === 'spec' ? 'spec' : '';
  const result = reader.read(parent === '' ? raw : (raw[parent] ?? {}));
  const unknown = result.unknownFields;
  if (result.type === 'invalid') return { violations: below(parent, [...unknown, ...result.violations]) };
  return { value: result.value, violations: below(parent, [...unknown, ...definition.validate(result.value)]) };
}

function unknownEnvelopeFields(
  definition: KindDefinition,
  raw: Readonly<Record<string, unknown>>,
): readonly Violation[] {
  if (definition.unknownFields === 'dropped') return [];
  return Object.keys(raw)
    .filter((field) => !ENVELOPE_FIELDS.includes(field))
    .map((field) => ({
      path: field,
      value: raw[field],
      message: 'is not a known field',
      remedy: `an object has ${ENVELOPE_FIELDS.join(', ')}; did you mean to put it under spec?`,
    }));
}

/** Names the object as far as its metadata can be read. */
function subjectOf(definition: KindDefinition, raw: Readonly<Record<string, unknown>>, options: ReadOptions): Subject {
  const metadata = isRecord(raw['metadata']) ? raw['metadata'] : {};
  const text = (value: unknown): string =>
    typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  const namespace = text(metadata['namespace']);
  return {
    kind: definition.kind,
    namespace: definition.namespaced ? namespace || options.defaultNamespace : '',
    name: text(metadata['name']),
  };
}

function below(parent: string, violations: readonly Violation[]): readonly Violation[] {
  return parent === '' ? violations : violations.map((each) => ({ ...each, path: joinPath(parent, each.path) }));
}
