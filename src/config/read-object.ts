import type { Static } from 'typebox';
import { isRecord } from '../base/record.js';
import { apiVersionOf, type KindDefinition, modelKindOf } from './kind-definition.js';
import type { MeshObject } from './object.js';
import { metadataSchema, translateMetadata, validateMetadata } from './read-metadata.js';
import type { Immutable } from './schema/immutable.js';
import type { SchemaCompiler, SchemaReader } from './schema/schema-reader.js';
import { boundViolations, joinPath, type Subject, type Violation } from './violation.js';

export interface ReadOptions {
  /** Namespace of a namespaced object whose metadata has no namespace. */
  readonly defaultNamespace: string;
  /** `tolerated`: unknown fields are listed in the result. Default: they make the object invalid. */
  readonly unknownFields?: 'tolerated';
  /** Becomes `MeshObject.origin`. Default: a file. */
  readonly origin?: 'cluster';
}

/** The result of reading one object. */
export type ReadResult =
  | {
      readonly type: 'object';
      readonly object: MeshObject;
      /** The tolerated unknown fields; absent if there are none. */
      readonly unknownFields?: readonly Violation[];
    }
  | {
      /** The kind, or this version of it, is not supported. */
      readonly type: 'unknown';
      readonly apiVersion: string;
      readonly kind: string;
      /** The supported versions of a kind of this name. */
      readonly knownApiVersions: readonly string[];
      /** Absent for kinds of Kubernetes or of other products, which the mesh ignores. */
      readonly mistake?: { readonly subject: Subject; readonly violation: Violation };
    }
  | {
      readonly type: 'invalid';
      readonly subject: Subject;
      readonly violations: readonly Violation[];
      /** `form`: the object does not fit its schema, and its rules were not checked. `rules`: it breaks a rule. */
      readonly breaks: 'form' | 'rules';
    };

export interface ObjectReader {
  readonly definition: KindDefinition;
  read(object: Readonly<Record<string, unknown>>, options: ReadOptions): ReadResult;
}

/** The fields of an object whose kind has a `spec`. */
export const ENVELOPE_FIELDS: readonly string[] = ['apiVersion', 'kind', 'metadata', 'spec', 'status'];

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
      const envelope = unknownEnvelopeFields(definition, raw);
      const unknownFields = [...envelope, ...body.unknownFields];
      const violations = [...envelope, ...metadata.violations, ...body.unknownFields, ...body.violations];
      const tolerated = options.unknownFields === 'tolerated' ? unknownFields.length : 0;
      if (violations.length > tolerated || metadata.value === undefined) {
        const subject = subjectOf(definition, raw, options);
        const fits = metadata.value !== undefined && body.fits;
        const listed = boundViolations(violations, metadata.omitted + body.omitted);
        return { type: 'invalid', subject, violations: listed, breaks: fits ? 'rules' : 'form' };
      }
      return {
        type: 'object',
        object: {
          kind: modelKindOf(definition),
          apiVersion: apiVersionOf(definition),
          metadata: metadata.value,
          body: body.value,
          ...(options.origin === undefined ? {} : { origin: options.origin }),
        },
        ...(unknownFields.length > 0 ? { unknownFields } : {}),
      };
    },
  };
}

interface MetadataPart {
  /** Absent if the metadata does not fit its schema. */
  readonly value?: MeshObject['metadata'];
  readonly violations: readonly Violation[];
  /** Violations beyond those. */
  readonly omitted: number;
}

function readMetadata(
  reader: MetadataReader,
  definition: KindDefinition,
  raw: Readonly<Record<string, unknown>>,
  options: ReadOptions,
): MetadataPart {
  const result = reader.read(raw['metadata'] ?? {});
  if (result.type === 'invalid') return { violations: below('metadata', result.violations), omitted: result.omitted };
  const value = translateMetadata(result.value, definition.namespaced, options.defaultNamespace);
  return { value, violations: below('metadata', validateMetadata(value)), omitted: 0 };
}

interface BodyPart {
  readonly fits: boolean;
  readonly value?: unknown;
  readonly violations: readonly Violation[];
  /** Violations beyond those. */
  readonly omitted: number;
  readonly unknownFields: readonly Violation[];
}

function readBody(
  reader: SchemaReader<unknown>,
  definition: KindDefinition,
  raw: Readonly<Record<string, unknown>>,
): BodyPart {
  const parent = definition.bodyAt === 'spec' ? 'spec' : '';
  const result = reader.read(parent === '' ? raw : (raw[parent] ?? {}));
  const unknownFields = below(parent, result.unknownFields);
  if (result.type === 'invalid') {
    return { fits: false, violations: below(parent, result.violations), omitted: result.omitted, unknownFields };
  }
  const violations = below(parent, definition.validate(result.value));
  const value = violations.length > 0 ? result.value : (definition.reduce?.(result.value) ?? result.value);
  return { fits: true, value, violations, omitted: 0, unknownFields };
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
  const { namespace, name } = nameOf(raw, options);
  return { kind: definition.kind, namespace: definition.namespaced ? namespace : '', name };
}

/** Namespace and name of an object as far as its metadata can be read. */
export function nameOf(raw: Readonly<Record<string, unknown>>, options: ReadOptions): Omit<Subject, 'kind'> {
  const metadata = isRecord(raw['metadata']) ? raw['metadata'] : {};
  const text = (value: unknown): string =>
    typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  return { namespace: text(metadata['namespace']) || options.defaultNamespace, name: text(metadata['name']) };
}

function below(parent: string, violations: readonly Violation[]): readonly Violation[] {
  return parent === '' ? violations : violations.map((each) => ({ ...each, path: joinPath(parent, each.path) }));
}
