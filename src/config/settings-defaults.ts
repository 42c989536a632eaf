import { isRecord } from '../base/record.js';
import type { SettingsReader } from './settings-reader.js';

/** Fields of settings, as written. */
export type SettingsFields = Readonly<Record<string, unknown>>;

/**
 * A reader that takes fields which the content does not have from the defaults of an installation, so that the content
 * need name only what differs from them.
 *
 * @param joined names of fields whose own fields are joined in the same way; every other field counts as a whole
 */
export function withDefaults<Value>(
  read: SettingsReader<Value>,
  defaults: SettingsFields,
  joined: readonly string[] = [],
): SettingsReader<Value> {
  return (content) => {
    if (content === undefined || content === null) return read(defaults);
    return read(isRecord(content) ? joinFields(defaults, content, (field) => joined.includes(field)) : content);
  };
}

/**
 * The fields of both, those of `given` first.
 *
 * @param isJoined whether two mappings of this name are joined as well; default: always, at any depth
 */
export function joinFields(
  defaults: SettingsFields,
  given: SettingsFields,
  isJoined: (field: string) => boolean = () => true,
): SettingsFields {
  const fields = Object.entries(given).map(([field, value]): [string, unknown] => {
    const usual = Object.hasOwn(defaults, field) ? defaults[field] : undefined;
    return [field, isRecord(value) && isRecord(usual) && isJoined(field) ? joinFields(usual, value, isJoined) : value];
  });
  // Not by assignment: a field may be called __proto__.
  return Object.fromEntries([...Object.entries(defaults), ...fields]);
}
