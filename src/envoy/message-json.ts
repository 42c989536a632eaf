import protobuf from 'protobufjs';
import { isRecord } from '../base/record.js';
import type { EncodedResource } from './encoded-resource.js';
import type { ProtoRegistry } from './proto-registry.js';

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

type Fields = Record<string, unknown>;

/**
 * Protobuf JSON of encoded messages, with every `Any` opened where its type is known: for golden files, config dumps
 * and debug pages, and, with `isForEnvoy`, for responses over REST.
 */
export interface MessageJson {
  /** The message with its `@type` first. */
  resourceToJson(resource: EncodedResource): Json;
  bytesToJson(typeUrl: string, bytes: Uint8Array): Json;
}

export interface MessageJsonOptions {
  /**
   * Names fields as the JSON mapping of Protocol Buffers does, so that Envoy can read them. Without it, digits keep the
   * underscore before them (`enforcingConsecutive_5xx`), as in protobufjs.
   */
  readonly isForEnvoy?: boolean;
  /** Writes a message in another way; undefined: as usual. */
  readonly replace?: (fullName: string, message: Fields) => Json | undefined;
}

export function createMessageJson(registry: ProtoRegistry, options: MessageJsonOptions = {}): MessageJson {
  const { isForEnvoy = false, replace } = options;
  const nameOf = (name: string): string =>
    isForEnvoy ? name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()) : name;

  const anyToJson = (typeUrl: string, value: Uint8Array): Json => {
    const type = registry.find(typeUrl);
    if (type === undefined) return { '@type': typeUrl, value: Buffer.from(value).toString('base64') };
    const body = messageToJson(type, type.decode(value) as unknown as Fields);
    return isRecord(body) ? { '@type': typeUrl, ...body } : { '@type': typeUrl, value: body };
  };

  const messageToJson = (type: protobuf.Type, message: Fields): Json => {
    const replaced = replace?.(type.fullName, message);
    if (replaced !== undefined) return replaced;
    const special = WELL_KNOWN[type.fullName];
    if (special !== undefined) return special(message);
    if (type.fullName === '.google.protobuf.Any') {
      return anyToJson(message['type_url'] as string, message['value'] as Uint8Array);
    }
    const json: { [key: string]: Json } = {};
    for (const field of type.fieldsArray) {
      if (!Object.hasOwn(message, field.name)) continue;
      const value = message[field.name];
      if (field instanceof protobuf.MapField) {
        const entries = Object.entries(value as Fields).sort(([a], [b]) => (a < b ? -1 : 1));
        if (entries.length === 0) continue;
        json[nameOf(field.name)] = Object.fromEntries(entries.map(([key, item]) => [key, valueToJson(field, item)]));
      } else if (field.repeated) {
        const items = value as unknown[];
        if (items.length > 0) json[nameOf(field.name)] = items.map((item) => valueToJson(field, item));
      } else {
        json[nameOf(field.name)] = valueToJson(field, value);
      }
    }
    return json;
  };

  const valueToJson = (field: protobuf.Field, value: unknown): Json => {
    const resolved = field.resolvedType;
    if (resolved instanceof protobuf.Enum) return resolved.valuesById[value as number] ?? (value as number);
    if (resolved instanceof protobuf.Type) return messageToJson(resolved, value as Fields);
    return scalarToJson(value);
  };

  return {
    bytesToJson: anyToJson,
    resourceToJson: (resource) => {
      const reader = protobuf.Reader.create(resource.entry);
      reader.uint32();
      reader.uint32();
      reader.uint32();
      const typeUrl = reader.string();
      reader.uint32();
      return anyToJson(typeUrl, reader.bytes());
    },
  };
}

function scalarToJson(value: unknown): Json {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  if (typeof value === 'object' && value !== null) return String(value);
  return value as Json;
}

const wrapper = (message: Fields): Json => scalarToJson(message['value'] ?? null);

function durationToJson(message: Fields): Json {
  const nanos = Number(message['nanos'] ?? 0);
  const fraction = nanos === 0 ? '' : `.${String(nanos).padStart(9, '0').replace(/0+$/, '')}`;
  return `${Number(message['seconds'] ?? 0)}${fraction}s`;
}

function timestampToJson(message: Fields): Json {
  return new Date(Number(message['seconds'] ?? 0) * 1000 + Number(message['nanos'] ?? 0) / 1e6).toISOString();
}

function structToJson(message: Fields): Json {
  const fields = (message['fields'] ?? {}) as Record<string, Fields>;
  return Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, structValueToJson(value)]));
}

function structValueToJson(value: Fields): Json {
  if (Object.hasOwn(value, 'structValue')) return structToJson(value['structValue'] as Fields);
  if (Object.hasOwn(value, 'listValue')) {
    return (((value['listValue'] as Fields)['values'] ?? []) as Fields[]).map(structValueToJson);
  }
  for (const key of ['stringValue', 'numberValue', 'boolValue']) {
    if (Object.hasOwn(value, key)) return value[key] as Json;
  }
  return null;
}

const WELL_KNOWN: Readonly<Record<string, ((message: Fields) => Json) | undefined>> = {
  '.google.protobuf.Duration': durationToJson,
  '.google.protobuf.Timestamp': timestampToJson,
  '.google.protobuf.Struct': structToJson,
  '.google.protobuf.Value': structValueToJson,
  '.google.protobuf.BoolValue': (message) => (message['value'] as boolean | undefined) ?? false,
  '.google.protobuf.UInt32Value': wrapper,
  '.google.protobuf.UInt64Value': wrapper,
  '.google.protobuf.Int32Value': wrapper,
  '.google.protobuf.Int64Value': wrapper,
  '.google.protobuf.DoubleValue': wrapper,
  '.google.protobuf.FloatValue': wrapper,
  '.google.protobuf.StringValue': (message) => (message['value'] as string | undefined) ?? '',
  '.google.protobuf.BytesValue': wrapper,
};
