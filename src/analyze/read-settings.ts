import { readFile } from 'node:fs/promises';
import { errorText } from '../base/error-text.js';
import type { SettingsReader } from '../config/settings-reader.js';
import { formatFinding } from '../config/violation.js';
import type { YamlParser } from '../config/yaml/parse-document.js';
import { InputError } from './input-error.js';

/**
 * Reads a settings file: the mesh config, or the mesh networks.
 *
 * @param flag names the flag in errors
 * @throws InputError for a file that cannot be read or is invalid
 */
export async function readSettingsFile<Value>(
  flag: string,
  file: string,
  read: SettingsReader<Value>,
  parse: YamlParser,
): Promise<Value> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new InputError(`${file} of ${flag} cannot be read (${errorText(cause)}); name another file`, { cause });
  });
  const parsed = parse(text);
  if (parsed.type === 'error') throw new InputError(`${file} of ${flag} is not valid YAML: ${parsed.message}`);
  const result = read(parsed.value);
  if (result.type === 'invalid') {
    throw new InputError(`${file} of ${flag} is invalid: ${result.violations.map(formatFinding).join('; ')}`);
  }
  return result.value;
}
