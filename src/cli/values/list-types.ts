import { PLUGIN_NAMES, type PluginName, REGISTRY_NAMES, type RegistryName } from '../../bootstrap/options.js';
import { LOG_LEVELS, LOG_SCOPES, type LogScope, type ScopeLevels } from '../../telemetry/logging-options.js';
import { commaListType, type ValueType } from './parsed.js';
import { parseWord } from './scalar-types.js';

const registryList = commaListType('strings', (word) => parseWord(REGISTRY_NAMES, word));

/** One or more registries. A duplicate is removed, with a warning (docs/reference/sources.md#selection). */
export const registries: ValueType<readonly RegistryName[]> = {
  name: 'strings',
  parse: (occurrences) => {
    const parsed = registryList.parse(occurrences);
    if (!parsed.ok || parsed.value.length === 0) {
      return { ok: false, allowed: `one or more of ${REGISTRY_NAMES.join(', ')}` };
    }
    const value = [...new Set(parsed.value)];
    return value.length === parsed.value.length
      ? { ok: true, value }
      : { ok: true, value, warning: 'a duplicate registry is ignored' };
  },
};

export const plugins: ValueType<readonly PluginName[]> = commaListType('strings', (word) =>
  parseWord(PLUGIN_NAMES, word),
);

export const logScopes: ValueType<readonly LogScope[]> = commaListType('string', (word) => {
  const parsed = parseWord(LOG_SCOPES, word);
  return parsed.ok ? parsed : { ok: false, allowed: `log scopes separated by commas: ${LOG_SCOPES.join(', ')}` };
});

/** `<scope>:<level>` pairs separated by commas. */
export const scopeLevels: ValueType<ScopeLevels> = commaListType('string', (pair) => {
  const [scopeText = '', levelText = '', ...rest] = pair.split(':');
  const scope = parseWord(LOG_SCOPES, scopeText);
  const level = parseWord(LOG_LEVELS, levelText);
  if (rest.length > 0 || !scope.ok) {
    return { ok: false, allowed: `<scope>:<level> pairs with a scope of ${LOG_SCOPES.join(', ')}` };
  }
  return level.ok
    ? { ok: true, value: { scope: scope.value, level: level.value } }
    : { ok: false, allowed: `<scope>:<level> pairs with a level of ${LOG_LEVELS.join(', ')}` };
});

/** One path per occurrence. A comma belongs to the path. */
export const paths: ValueType<readonly string[]> = {
  name: 'stringArray',
  parse: (occurrences) =>
    occurrences.some((path) => path.trim() === '')
      ? { ok: false, allowed: 'stdout, stderr or a file path' }
      : { ok: true, value: occurrences },
};
