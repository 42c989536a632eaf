import protobuf from 'protobufjs';
import { nearestName } from '../../base/nearest-name.js';
import { isRecord } from '../../base/record.js';
import type { ProtoRegistry } from '../proto-registry.js';
import { fieldPath, type MessageFields, type MessageProblem } from './message-problem.js';
import { ANY } from './patch-registry.js';
import { readScalar } from './scalar-json.js';
import { WELL_KNOWN_JSON, WRAPPED_SCALARS } from './well-known-json.js';

export type ReadMessage =
  | { readonly type: 'message'; readonly message: MessageFields }
  | { readonly type: 'invalid'; readonly problems: readonly MessageProblem[] };

/** Envoy parses messages up to 100 levels; no configuration has as many. */
const MAX_DEPTH = 50;
/** Problems of one message that are told. */
const MAX_PROBLEMS = 10;
const TYPE_URL_PREFIX = 'type.googleapis.com/';

/**
 * Reads a message from its JSON form, strictly: unknown fields, wrong types and two members of one choice are problems.
 * Field names may be in snake case or in camel case. Null counts as absent. `@type` names the type of an Any.
 *
 * @param type of the message
 */
export function readMessage(registry: ProtoRegistry, type: protobuf.Type, json: unknown): ReadMessage {
  const reader = new MessageReader(registry);
  const message = reader.read(type, json, '', 0);
  if (reader.problems.length > 0 || message === undefined) return { type: 'invalid', problems: reader.problems };
  return { type: 'message', message };
}

class MessageReader {
  readonly problems: MessageProblem[] = [];
  readonly #registry: ProtoRegistry;

  constructor(registry: ProtoRegistry) {
    this.#registry = registry;
  }

  read(type: protobuf.Type, json: unknown, path: string, depth: number): MessageFields | undefined {
    if (depth > MAX_DEPTH)
      return this.#refuse(path, undefined, `is nested deeper than ${MAX_DEPTH} levels`, 'nest less');
    const wrapped = WRAPPED_SCALARS[type.fullName];
    if (wrapped !== undefined) {
      const value = this.#scalar(wrapped, json, path);
      return value === undefined ? undefined : { value };
    }
    const wellKnown = WELL_KNOWN_JSON[type.fullName]?.(json);
    if (wellKnown !== undefined) {
      return 'message' in wellKnown ? wellKnown.message : this.#refuseForm(path, json, wellKnown.expected);
    }
    if (!isRecord(json)) return this.#refuseForm(path, json, 'a mapping');
    return type.fullName === ANY ? this.#any(json, path, depth) : this.#fields(type, json, path, depth);
  }

  #fields(type: protobuf.Type, json: Readonly<Record<string, unknown>>, path: string, depth: number): MessageFields {
    const names = fieldNamesOf(type);
    const message: MessageFields = {};
    const chosen = new Map<protobuf.OneOf, string>();
    for (const [key, value] of Object.entries(json)) {
      if (value === null || value === undefined || this.problems.length >= MAX_PROBLEMS) continue;
      const at = fieldPath(path, key);
      const field = names.get(normalized(key));
      if (field === undefined) {
        this.#refuse(at, value, `is not a field of ${shortName(type)}`, remedyOf(key, names));
        continue;
      }
      if (Object.hasOwn(message, field.name)) {
        this.#refuse(at, value, 'is there twice, in two spellings', 'keep one of them');
        continue;
      }
      const choice = field.partOf;
      const other = choice === null ? undefined : chosen.get(choice);
      if (other !== undefined) {
        this.#refuse(at, value, `excludes ${other}, which is set too`, 'keep one of them');
        continue;
      }
      if (choice !== null) chosen.set(choice, key);
      const read = this.#field(field, value, at, depth);
      if (read !== undefined) message[field.name] = read;
    }
    return message;
  }

  #field(field: protobuf.Field, json: unknown, path: string, depth: number): unknown {
    if (field instanceof protobuf.MapField) {
      if (!isRecord(json)) return this.#refuseForm(path, json, 'a mapping');
      const map = Object.create(null) as MessageFields;
      for (const [key, item] of Object.entries(json)) {
        if (item !== null) map[key] = this.#value(field, item, fieldPath(path, key), depth);
      }
      return map;
    }
    if (!field.repeated) return this.#value(field, json, path, depth);
    if (!Array.isArray(json)) return this.#refuseForm(path, json, 'a list');
    return json.map((item: unknown, index) => this.#value(field, item, fieldPath(path, index), depth));
  }

  #value(field: protobuf.Field, json: unknown, path: string, depth: number): unknown {
    if (this.problems.length >= MAX_PROBLEMS) return undefined;
    const { resolvedType } = field.resolve();
    if (resolvedType instanceof protobuf.Type) return this.read(resolvedType, json, path, depth + 1);
    if (resolvedType instanceof protobuf.Enum) {
      const { values, valuesById } = resolvedType;
      if (typeof json === 'string' && Object.hasOwn(values, json)) return values[json];
      if (typeof json === 'number' && Object.hasOwn(valuesById, json)) return json;
      return this.#refuse(path, json, 'is not a value of this enum', `use one of ${listed(Object.keys(values))}`);
    }
    return this.#scalar(field.type, json, path);
  }

  #scalar(type: string, json: unknown, path: string): unknown {
    const read = readScalar(type, json);
    return 'scalar' in read ? read.scalar : this.#refuseForm(path, json, read.expected);
  }

  #any(json: Readonly<Record<string, unknown>>, path: string, depth: number): MessageFields | undefined {
    const { '@type': typeUrl, ...fields } = json;
    const at = fieldPath(path, '@type');
    if (typeof typeUrl !== 'string') {
      const remedy = `name the type of the message, for example ${TYPE_URL_PREFIX}envoy.extensions.filters.http.lua.v3.Lua`;
      return this.#refuse(at, typeUrl, 'is missing', remedy);
    }
    const type = typeUrl.startsWith(TYPE_URL_PREFIX) ? this.#registry.find(typeUrl) : undefined;
    if (type === undefined) {
      const remedy =
        'correct the name, or put the fields into value of type.googleapis.com/xds.type.v3.TypedStruct and the name into its type_url';
      return this.#refuse(at, typeUrl, 'is not a message type of Envoy that the control plane knows', remedy);
    }
    const isWellKnown = WELL_KNOWN_JSON[type.fullName] !== undefined || WRAPPED_SCALARS[type.fullName] !== undefined;
    const message = isWellKnown
      ? this.read(type, fields['value'], fieldPath(path, 'value'), depth + 1)
      : this.#fields(type, fields, path, depth + 1);
    if (message === undefined || this.problems.length > 0) return undefined;
    return { type_url: typeUrl, value: type.encode(message).finish() };
  }

  #refuseForm(path: string, value: unknown, expected: string): undefined {
    return this.#refuse(path, value, `is not ${expected}`, `write ${expected}`);
  }

  #refuse(path: string, value: unknown, message: string, remedy: string): undefined {
    if (this.problems.length < MAX_PROBLEMS) {
      this.problems.push({ path, ...(value === undefined ? {} : { value }), message, remedy });
    }
    return undefined;
  }
}

type FieldNames = ReadonlyMap<string, protobuf.Field>;

const namesByType = new WeakMap<protobuf.Type, FieldNames>();

/** protobufjs changes some names in a way of its own (`acceptHttp_10`), so names are compared without underscores. */
function fieldNamesOf(type: protobuf.Type): FieldNames {
  let names = namesByType.get(type);
  if (names === undefined) {
    names = new Map(type.fieldsArray.map((field) => [normalized(field.name), field]));
    namesByType.set(type, names);
  }
  return names;
}

function normalized(name: string): string {
  return name.replaceAll('_', '').toLowerCase();
}

function shortName(type: protobuf.Type): string {
  return type.fullName.slice(1);
}

/** The field that was probably meant, in the spelling of the unknown one; else all fields. */
function remedyOf(unknown: string, names: FieldNames): string {
  const nearest = names.get(nearestName(normalized(unknown), names.keys()) ?? '')?.name;
  if (nearest === undefined) return `use one of ${knownNames(names)}`;
  const isSnake = unknown.includes('_');
  return `did you mean ${isSnake ? nearest.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) : nearest}?`;
}

function knownNames(names: FieldNames): string {
  return listed(Array.from(names.values(), ({ name }) => name));
}

const MAX_LISTED = 40;

function listed(names: readonly string[]): string {
  const shown = names.slice(0, MAX_LISTED).join(', ');
  return names.length > MAX_LISTED ? `${shown} and ${names.length - MAX_LISTED} more` : shown;
}
