import { camelCase } from '../catalogue/canonical-fields.js';
import { RULE_LIMITS } from '../limits.js';
import { DescriptorError } from './descriptor-error.js';
import { DESCRIPTOR_LIMITS } from './descriptor-limits.js';
import type { DescriptorSet, FieldShape } from './descriptor-set.js';
import { LEAF_TYPE_NAMES, leafTypeOf } from './leaf-types.js';
import { fieldsOfMessage, mapEntryOf } from './message-fields.js';
import type { FieldWire } from './template-wire.js';

/**
 * The fields of the message InstanceMsg that expressions fill.
 *
 * @param except the field with the name of the instance
 * @throws DescriptorError for fields of types that no expression has
 */
export function readInstanceFields(
  set: DescriptorSet,
  message: string,
  except: FieldShape | undefined,
): readonly FieldWire[] {
  return new FieldReader(set).read(message, except, 1);
}

class FieldReader {
  readonly #set: DescriptorSet;
  /** A message counts once for each place where it is used. */
  #fields = 0;

  constructor(set: DescriptorSet) {
    this.#set = set;
  }

  read(message: string, except: FieldShape | undefined, depth: number): readonly FieldWire[] {
    if (depth > DESCRIPTOR_LIMITS.depth) {
      const text = `has more than ${DESCRIPTOR_LIMITS.depth} levels of messages in ${message}`;
      throw new DescriptorError(text, 'use fewer levels');
    }
    const names = new Set<string>();
    return fieldsOfMessage(this.#set, message).flatMap((field): readonly FieldWire[] => {
      if (field === except) return [];
      const written = camelCase(field.name);
      if (names.has(written)) {
        throw new DescriptorError(`has two fields ${written} in ${message}`, 'give each field a name of its own');
      }
      names.add(written);
      return [this.#readField(message, field, depth)];
    });
  }

  #readField(message: string, field: FieldShape, depth: number): FieldWire {
    this.#fields++;
    if (this.#fields > RULE_LIMITS.instanceExpressions) {
      const text = `has more than ${RULE_LIMITS.instanceExpressions} fields in its instances`;
      throw new DescriptorError(text, 'use fewer fields, or maps');
    }
    const { name, number } = field;
    const entry = mapEntryOf(this.#set, field);
    if (entry !== undefined) {
      const valueType = leafTypeOf(entry.value);
      if (entry.key.type === 'string' && valueType !== undefined) return { name, number, type: 'values', valueType };
      throw unusableField(message, name, 'a map with texts as keys and one value each');
    }
    if (field.isRepeated) throw unusableField(message, name, 'a map instead of a list');
    const valueType = leafTypeOf(field);
    if (valueType !== undefined) return { name, number, type: 'value', valueType };
    if (field.type !== 'message') throw unusableField(message, name, LEAF_TYPE_NAMES);
    return { name, number, type: 'message', fields: this.read(field.typeName, undefined, depth + 1) };
  }
}

function unusableField(message: string, field: string, remedy: string): DescriptorError {
  return new DescriptorError(`has the field ${field} in ${message}, whose type no expression has`, `use ${remedy}`);
}
