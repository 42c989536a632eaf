import { DescriptorError } from './descriptor-error.js';
import type { DescriptorSet, FieldShape } from './descriptor-set.js';

/** @throws DescriptorError for a message that the set lacks */
export function fieldsOfMessage({ messages }: DescriptorSet, message: string): readonly FieldShape[] {
  const found = messages.get(message);
  if (found !== undefined) return found.fields;
  throw new DescriptorError(`lacks the message ${message}`, 'describe all imports: protoc --include_imports');
}

/** The fields `key` and `value` of the entries of a map; undefined for other fields. */
export function mapEntryOf(
  { messages }: DescriptorSet,
  field: FieldShape,
): { readonly key: FieldShape; readonly value: FieldShape } | undefined {
  const entry = field.isRepeated && field.type === 'message' ? messages.get(field.typeName) : undefined;
  if (entry?.isMapEntry !== true) return undefined;
  const key = entry.fields.find(({ number }) => number === 1);
  const value = entry.fields.find(({ number }) => number === 2);
  return key === undefined || value === undefined ? undefined : { key, value };
}
