import type { SettingsFields } from '../../config/settings-reader.js';
import { createYamlParser } from '../../config/yaml/parse-document.js';
import { scalarType, type ValueType } from './parsed.js';

/** Fields of a settings file, as YAML or JSON; what they are called and hold is judged by the reader of that file. */
export const settingsFields: ValueType<SettingsFields> = scalarType('string', (text) => {
  const parsed = createYamlParser()(text);
  if (parsed.type === 'error') {
    return { ok: false, allowed: `fields in YAML or JSON, name: value (line ${parsed.line ?? 1}: ${parsed.message})` };
  }
  const { value } = parsed;
  if (value === undefined || value === null) return { ok: true, value: {} };
  if (typeof value !== 'object' || Array.isArray(value)) {
    return { ok: false, allowed: 'fields in YAML or JSON, name: value' };
  }
  return { ok: true, value: value as SettingsFields };
});
