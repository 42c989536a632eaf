import type { SettingsReader } from '../config/settings-reader.js';
import { type SettingsFields, withDefaults } from '../config/settings-reader.js';
import { formatFinding } from '../config/violation.js';
import { SettingsRefusedError } from '../sources/settings/settings-refused-error.js';

export interface InstallationDefaults<Value> {
  /** Reads settings that need only name what differs from the defaults. */
  readonly read: SettingsReader<Value>;
  /** In force where there are no settings. */
  readonly defaults: Value;
}

/**
 * Reads what an installation sets for settings of users, which it does not own: a later version of it brings other
 * defaults, and leaves those settings as they are.
 *
 * @param variable that has the defaults
 * @param joined see withDefaults
 * @throws SettingsRefusedError where they cannot be used, or have a field without effect
 */
export function readInstallationDefaults<Value>(
  variable: string,
  fields: SettingsFields,
  read: SettingsReader<Value>,
  joined: readonly string[] = [],
): InstallationDefaults<Value> {
  const result = read(fields);
  const violations = result.type === 'invalid' ? result.violations : result.warnings;
  if (result.type === 'invalid' || violations.length > 0) {
    throw new SettingsRefusedError(variable, violations.map(formatFinding));
  }
  return { read: withDefaults(read, fields, joined), defaults: result.value };
}
