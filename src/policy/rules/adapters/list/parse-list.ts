import { isRecord } from '../../../../base/record.js';
import { RULE_LIMITS } from '../../../../config/policy-rules/limits.js';
import { createYamlParser } from '../../../../config/yaml/parse-document.js';

/** A document cannot be read as a list. */
export class ListSyntaxError extends Error {
  override readonly name = 'ListSyntaxError';
  readonly code = 'INVALID_LIST';
}

/** Reading YAML takes ten times as long as reading lines. */
const MAX_YAML_CHARACTERS = 256 * 1024;

/** Names that the list may have in a document with one field. */
const FIELDS: readonly string[] = ['entries', 'whitelist', 'blacklist'];

/** The first line with content of a list in YAML or JSON. */
const YAML = new RegExp(`^(?:---|- |\\[|\\{|(?:${FIELDS.join('|')}):)`);

const parseYaml = createYamlParser();

/**
 * The entries of a list: one on each line, or a list in YAML or JSON. Empty lines, and lines that begin with `#`, are no
 * entries.
 *
 * @throws ListSyntaxError
 */
export function parseList(text: string): readonly string[] {
  const lines = text.split('\n').map((line) => line.trim());
  const first = lines.find(isContent);
  const entries = first !== undefined && YAML.test(first) ? yamlEntries(text) : lines.filter(isContent);
  if (entries.length > RULE_LIMITS.listEntries) {
    throw new ListSyntaxError(`it has ${entries.length} entries, more than ${RULE_LIMITS.listEntries}`);
  }
  return entries;
}

function isContent(line: string): boolean {
  return line !== '' && !line.startsWith('#');
}

function yamlEntries(text: string): readonly string[] {
  if (text.length > MAX_YAML_CHARACTERS) {
    throw new ListSyntaxError(
      `it has more than ${MAX_YAML_CHARACTERS} characters of YAML: write one entry on each line`,
    );
  }
  const parsed = parseYaml(text);
  if (parsed.type === 'error') throw new ListSyntaxError(`line ${parsed.line ?? 1}: ${parsed.message}`);
  const entries = listIn(parsed.value);
  if (entries === undefined)
    throw new ListSyntaxError('it is not a list: write one entry on each line, or a list in YAML');
  return entries.map((entry, index) => {
    if (typeof entry === 'string' || typeof entry === 'number') return String(entry);
    throw new ListSyntaxError(`item ${index + 1} is not a text: put it into quotes`);
  });
}

function listIn(value: unknown): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value;
  if (!isRecord(value)) return undefined;
  const [[name, list] = [], ...others] = Object.entries(value);
  return others.length === 0 && FIELDS.includes(name ?? '') && Array.isArray(list) ? list : undefined;
}
