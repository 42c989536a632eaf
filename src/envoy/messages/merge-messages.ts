import protobuf from 'protobufjs';
import type { ProtoRegistry } from '../proto-registry.js';
import type { MessageFields } from './message-problem.js';
import { ANY } from './patch-registry.js';
import { isOneValue } from './well-known-json.js';

/**
 * Merges a message into another, as protobuf does: set scalars replace, lists are appended, messages merge, entries of
 * maps replace those of their key, and a member of a choice removes the others. Beyond protobuf, messages in an Any of
 * the same type merge, and durations, wrapped scalars and structs replace each other as a whole.
 *
 * @param target is changed
 */
export function mergeMessages(
  registry: ProtoRegistry,
  type: protobuf.Type,
  target: MessageFields,
  source: MessageFields,
): void {
  for (const field of type.fieldsArray) {
    const { name } = field;
    if (!Object.hasOwn(source, name)) continue;
    const value = source[name];
    if (value === null || value === undefined) continue;
    if (field instanceof protobuf.MapField) {
      target[name] = { ...(own(target, name) as object | undefined), ...(value as object) };
    } else if (field.repeated) {
      target[name] = [...((own(target, name) as unknown[] | undefined) ?? []), ...(value as unknown[])];
    } else {
      for (const other of field.partOf?.fieldsArray ?? []) if (other !== field) delete target[other.name];
      target[name] = mergeValue(registry, field, own(target, name), value);
    }
  }
}

function mergeValue(registry: ProtoRegistry, field: protobuf.Field, before: unknown, value: unknown): unknown {
  const { resolvedType } = field.resolve();
  if (!(resolvedType instanceof protobuf.Type) || before === undefined || before === null) return value;
  if (resolvedType.fullName === ANY) return mergeAny(registry, before as MessageFields, value as MessageFields);
  if (isOneValue(resolvedType.fullName)) return value;
  const merged = before as MessageFields;
  mergeMessages(registry, resolvedType, merged, value as MessageFields);
  return merged;
}

function mergeAny(registry: ProtoRegistry, before: MessageFields, value: MessageFields): MessageFields {
  const type = before['type_url'] === value['type_url'] ? registry.find(String(value['type_url'])) : undefined;
  if (type === undefined) return value;
  const merged = type.decode(before['value'] as Uint8Array) as unknown as MessageFields;
  mergeMessages(registry, type, merged, type.decode(value['value'] as Uint8Array) as unknown as MessageFields);
  return { type_url: value['type_url'], value: type.encode(merged).finish() };
}

function own(message: MessageFields, name: string): unknown {
  return Object.hasOwn(message, name) ? message[name] : undefined;
}
