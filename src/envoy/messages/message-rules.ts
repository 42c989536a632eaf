import protobuf from 'protobufjs';
import type { ProtoRegistry } from '../proto-registry.js';
import { checkScalar, type Rules } from './field-rules.js';
import { fieldPath, type MessageFields, type MessageProblem } from './message-problem.js';
import { ANY } from './patch-registry.js';
import { WRAPPED_SCALARS } from './well-known-json.js';

/**
 * Checks a message by the rules that Envoy checks it by: required fields, ranges, lengths. Messages in an Any are
 * checked too.
 *
 * @param isPartial the message is to be merged into another one, so fields may be absent
 * @returns the first problem
 */
export function checkMessage(
  registry: ProtoRegistry,
  type: protobuf.Type,
  message: MessageFields,
  isPartial = false,
): MessageProblem | undefined {
  return new RuleCheck(registry, isPartial).message(type, message, '');
}

class RuleCheck {
  readonly #registry: ProtoRegistry;
  readonly #isPartial: boolean;

  constructor(registry: ProtoRegistry, isPartial: boolean) {
    this.#registry = registry;
    this.#isPartial = isPartial;
  }

  message(type: protobuf.Type, message: MessageFields, path: string): MessageProblem | undefined {
    if (type.fullName === ANY) return this.#any(message, path);
    for (const field of type.fieldsArray) {
      const problem = this.#field(field, message, fieldPath(path, field.name));
      if (problem !== undefined) return problem;
    }
    if (this.#isPartial) return undefined;
    for (const choice of type.oneofsArray) {
      if (choice.options?.['required'] !== true || choice.fieldsArray.some(({ name }) => isSet(message, name)))
        continue;
      const remedy = `set one of ${choice.fieldsArray.map(({ name }) => name).join(', ')}`;
      return { path, message: `lacks its ${choice.name}`, remedy };
    }
    return undefined;
  }

  #any({ type_url: typeUrl, value }: MessageFields, path: string): MessageProblem | undefined {
    const type = typeUrl ? this.#registry.find(String(typeUrl)) : undefined;
    if (type === undefined) return undefined;
    return this.message(type, type.decode((value ?? Buffer.alloc(0)) as Uint8Array) as unknown as MessageFields, path);
  }

  #field(field: protobuf.Field, message: MessageFields, path: string): MessageProblem | undefined {
    const rules = (field.options?.['rules'] ?? {}) as Rules;
    const { resolvedType } = field.resolve();
    if (field instanceof protobuf.MapField) return this.#map(field, message, path, rules);
    if (field.repeated) return this.#list(field, message, path, rules);
    if (isSet(message, field.name)) return this.#value(field, message[field.name], path, rules);
    // Of a choice, only the member that is set has to follow its rules.
    if (this.#isPartial || field.partOf !== null) return undefined;
    if (resolvedType instanceof protobuf.Type) {
      const isRequired = [rules.message, rules.duration, rules.any, rules.timestamp].some((each) => each?.required);
      return isRequired ? { path, message: 'is missing', remedy: 'set it' } : undefined;
    }
    // An unset scalar has its default value.
    if (resolvedType !== null) return undefined;
    return checkScalar(rules, field.typeDefault, path);
  }

  #list(field: protobuf.Field, message: MessageFields, path: string, rules: Rules): MessageProblem | undefined {
    const items = isSet(message, field.name) ? (message[field.name] as readonly unknown[]) : [];
    const { min_items: min = 0, max_items: max = Number.POSITIVE_INFINITY, items: ofItems = {} } = rules.repeated ?? {};
    if ((items.length < min && !this.#isPartial) || items.length > max) {
      const wanted = items.length < min ? `at least ${min}` : `at most ${max}`;
      return { path, value: items, message: `has ${items.length} items`, remedy: `give it ${wanted}` };
    }
    for (const [index, item] of items.entries()) {
      const problem = this.#value(field, item, fieldPath(path, index), ofItems);
      if (problem !== undefined) return problem;
    }
    return undefined;
  }

  #map(field: protobuf.Field, message: MessageFields, path: string, rules: Rules): MessageProblem | undefined {
    const entries = isSet(message, field.name) ? Object.entries(message[field.name] as MessageFields) : [];
    const { min_pairs: min = 0, keys = {}, values = {} } = rules.map ?? {};
    if (entries.length < min && !this.#isPartial) {
      return { path, message: `has ${entries.length} entries`, remedy: `give it at least ${min}` };
    }
    for (const [key, value] of entries) {
      const at = fieldPath(path, key);
      const problem = checkScalar(keys, key, at) ?? this.#value(field, value, at, values);
      if (problem !== undefined) return problem;
    }
    return undefined;
  }

  #value(field: protobuf.Field, value: unknown, path: string, rules: Rules): MessageProblem | undefined {
    const { resolvedType } = field.resolve();
    if (resolvedType instanceof protobuf.Enum) {
      if (rules.enum?.defined_only !== true || Object.hasOwn(resolvedType.valuesById, value as number))
        return undefined;
      return { path, value, message: 'is not a value of its enum', remedy: 'use one of its values' };
    }
    if (!(resolvedType instanceof protobuf.Type)) return checkScalar(rules, value, path);
    const message = value as MessageFields;
    const wrapped = WRAPPED_SCALARS[resolvedType.fullName];
    if (wrapped !== undefined) return checkScalar(rules, message['value'] ?? defaultOf(wrapped), path);
    if (resolvedType.fullName === '.google.protobuf.Duration') return checkScalar(rules, message, path);
    return this.message(resolvedType, message, path);
  }
}

function defaultOf(scalar: string): unknown {
  if (scalar === 'string') return '';
  if (scalar === 'bytes') return Buffer.alloc(0);
  return scalar === 'bool' ? false : 0;
}

function isSet(message: MessageFields, name: string): boolean {
  return Object.hasOwn(message, name) && message[name] !== undefined && message[name] !== null;
}
