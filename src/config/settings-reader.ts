import { isRecord } from '../base/record.js';
import type { Violation } from './violation.js';

/** The result of reading a settings file: its value, or its violations. */
export type SettingsResult<Value> =
  | {
      readonly type: 'valid';
      readonly value: Value;
      /** Fields without effect: unknown fields, and fields of features that are not implemented. */
      readonly warnings: readonly Violation[];
    }
  | { readonly type: 'invalid'; readonly violations: readonly Violation[] };

/** Reads the parsed content of a settings file. An empty file gives the defaults. */
export type SettingsReader<Value> = (content: unknown) => SettingsResult<Value>;

/** The fields of a settings file, before they are read. */
export type SettingsFields = Readonly<Record<string, unknown>>;

/**
 * Makes a reader that takes missing fields from the defaults of an installation. The content then names only the fields
 * that differ from the defaults.
 *
 * @param joined names of fields whose own fields are joined in the same way; any other field replaces the default
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
 * Joins the fields of both. A field of `given` replaces the default.
 *
 * @param isJoined whether mappings of this name are joined too; default: always, at any depth
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
  // Assigning to a field called __proto__ would lose it.
  return Object.fromEntries([...Object.entries(defaults), ...fields]);
}
