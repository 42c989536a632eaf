import protobuf, { type Writer } from 'protobufjs';
import { nearestName } from '../../../base/nearest-name.js';
import { isRecord } from '../../../base/record.js';
import { firstViolations } from '../../policy/limits.js';
import { childPath, type Violation } from '../../violation.js';
import { camelCase } from '../catalogue/canonical-fields.js';
import { DESCRIPTOR_LIMITS } from './descriptor-limits.js';
import type { DescriptorSet, FieldShape, MessageShape } from './descriptor-set.js';
import { mapEntryOf } from './message-fields.js';
import { SCALAR_TYPES } from './scalar-values.js';
import { WELL_KNOWN_TYPES } from './well-known-values.js';

/** The result of encoding parameters. */
export type EncodedParams =
  | { readonly type: 'valid'; readonly bytes: Uint8Array }
  | { readonly type: 'invalid'; readonly violations: readonly Violation[] };

/** Adapters without sessions get the parameters with each call. */
const MAX_BYTES = 64 * 1024;
const GOOGLE = 'google.protobuf.';

/**
 * Encodes parameters, as the JSON form of messages has them: names in either spelling, enums by name, durations and times
 * as texts. Paths of violations begin with `params`.
 *
 * @param message full name of their message in the set
 */
export function encodeParams(set: DescriptorSet, message: string, params: unknown): EncodedParams {
  const writer = protobuf.Writer.create();
  const violations = firstViolations(new ParamsWriter(set).message(writer, 'params', message, params, 1));
  if (violations.length > 0) return { type: 'invalid', violations };
  const bytes = writer.finish();
  if (bytes.length <= MAX_BYTES) return { type: 'valid', bytes };
  const text = `are ${bytes.length} bytes as a message, more than ${MAX_BYTES}`;
  return { type: 'invalid', violations: [{ path: 'params', message: text, remedy: 'use fewer or shorter values' }] };
}

/** Writes messages, and yields what is wrong with their values. */
class ParamsWriter {
  readonly #set: DescriptorSet;

  constructor(set: DescriptorSet) {
    this.#set = set;
  }

  *message(writer: Writer, path: string, name: string, value: unknown, depth: number): Iterable<Violation> {
    const known = name.startsWith(GOOGLE) ? WELL_KNOWN_TYPES.get(name.slice(GOOGLE.length)) : undefined;
    if (known === 'unusable') {
      yield { path, message: `is of the type ${name}, which parameters cannot have`, remedy: 'remove it' };
      return;
    }
    if (known !== undefined) {
      const write = known.read(value);
      if (write === undefined) yield { path, value, message: `is no ${name}`, remedy: known.remedy };
      else write(writer);
      return;
    }
    const shape = this.#set.messages.get(name);
    if (shape === undefined) {
      const remedy = 'describe all imports of the adapter: protoc --include_imports';
      yield { path, message: `is of the type ${name}, which the adapter does not describe`, remedy };
    } else if (depth > DESCRIPTOR_LIMITS.depth) {
      yield { path, message: `has more than ${DESCRIPTOR_LIMITS.depth} levels`, remedy: 'use fewer levels' };
    } else if (!isRecord(value)) {
      yield { path, value, message: 'is not a mapping', remedy: 'write fields as "name: value"' };
    } else yield* this.#fields(writer, path, shape, value, depth);
  }

  *#fields(
    writer: Writer,
    path: string,
    { fullName, fields }: MessageShape,
    value: Readonly<Record<string, unknown>>,
    depth: number,
  ): Iterable<Violation> {
    const byName = new Map(fields.map((field) => [camelCase(field.name), field]));
    const seen = new Map<FieldShape, string>();
    const oneofs = new Map<number, string>();
    for (const [written, each] of Object.entries(value)) {
      // The API server treats null as absent.
      if (each === null) continue;
      const at = childPath(path, written);
      const field = byName.get(camelCase(written));
      if (field === undefined) {
        yield {
          path: at,
          value: each,
          message: `is not a field of ${fullName}`,
          remedy: nearestField(written, fields),
        };
        continue;
      }
      const before = seen.get(field) ?? (field.oneof === undefined ? undefined : oneofs.get(field.oneof));
      if (before !== undefined) {
        yield { path: at, value: each, message: `is set beside ${before}`, remedy: 'keep one of them' };
        continue;
      }
      seen.set(field, written);
      if (field.oneof !== undefined) oneofs.set(field.oneof, written);
      yield* this.#field(writer, at, field, each, depth);
    }
  }

  *#field(writer: Writer, path: string, field: FieldShape, value: unknown, depth: number): Iterable<Violation> {
    const entry = mapEntryOf(this.#set, field);
    if (entry !== undefined) {
      if (!isRecord(value)) {
        yield { path, value, message: 'is not a mapping', remedy: 'write items as "name: value"' };
        return;
      }
      for (const [key, each] of Object.entries(value)) {
        const at = childPath(path, key);
        writer.uint32(tagOf(field.number, 2)).fork();
        yield* this.#single(writer, at, entry.key, mapKey(entry.key, key), depth);
        yield* this.#single(writer, at, entry.value, each, depth);
        writer.ldelim();
      }
    } else if (!field.isRepeated) yield* this.#single(writer, path, field, value, depth);
    else if (!Array.isArray(value)) yield { path, value, message: 'is not a list', remedy: 'use a list' };
    else {
      for (const [index, each] of value.entries()) {
        yield* this.#single(writer, childPath(path, index), field, each, depth);
      }
    }
  }

  /** Items of lists are written one by one, which every reader of messages takes. */
  *#single(writer: Writer, path: string, field: FieldShape, value: unknown, depth: number): Iterable<Violation> {
    const { type, number, typeName } = field;
    if (type === 'message') {
      writer.uint32(tagOf(number, 2)).fork();
      yield* this.message(writer, path, typeName, value, depth + 1);
      writer.ldelim();
    } else if (type === 'enum') {
      const found = this.#enumNumber(typeName, value);
      if (found === undefined) {
        const names = [...(this.#set.enums.get(typeName)?.values.keys() ?? [])].slice(0, 20);
        yield { path, value, message: `is no value of ${typeName}`, remedy: `use one of ${names.join(', ')}` };
      } else writer.uint32(tagOf(number, 0)).int32(found);
    } else {
      const { wireType, read, remedy } = SCALAR_TYPES[type];
      const write = read(value);
      if (write === undefined) yield { path, value, message: `is no value of the type ${type}`, remedy };
      else write(writer.uint32(tagOf(number, wireType)));
    }
  }

  #enumNumber(typeName: string, value: unknown): number | undefined {
    const values = this.#set.enums.get(typeName)?.values;
    if (typeof value === 'string') return values?.get(value);
    return typeof value === 'number' && [...(values?.values() ?? [])].includes(value) ? value : undefined;
  }
}

/** Keys of mappings are texts; those of the message may be numbers, true or false. */
function mapKey({ type }: FieldShape, key: string): unknown {
  if (type !== 'bool') return key;
  return key === 'true' || (key === 'false' ? false : key);
}

function tagOf(number: number, wireType: number): number {
  return ((number << 3) | wireType) >>> 0;
}

function nearestField(written: string, fields: readonly FieldShape[]): string {
  const names = fields.map(({ name }) => name);
  const nearest = nearestName(written, names);
  if (nearest !== undefined) return `did you mean ${nearest}?`;
  return names.length === 0 ? 'remove it' : `its fields are ${names.slice(0, 20).join(', ')}`;
}
