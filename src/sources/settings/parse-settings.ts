import type { SettingsReader } from '../../config/settings-reader.js';
import { formatFinding } from '../../config/violation.js';
import { createLineLocator } from '../../config/yaml/line-locator.js';
import { createYamlParser } from '../../config/yaml/parse-document.js';
import { splitDocuments } from '../../config/yaml/split-documents.js';

/** The value of a settings file, or the reasons why it cannot be used, as lines that name line and field. */
export type ParsedSettings<Value> =
  | { readonly type: 'valid'; readonly value: Value; readonly warnings: readonly string[] }
  | { readonly type: 'invalid'; readonly reasons: readonly string[] };

/** Parses a settings file: one document of YAML or JSON, or an empty file. */
export function parseSettings<Value>(text: string, read: SettingsReader<Value>): ParsedSettings<Value> {
  const [document, second] = splitDocuments(text);
  if (second !== undefined) {
    return { type: 'invalid', reasons: [`line ${second.line}: starts a second document; keep one`] };
  }
  const firstLine = document?.line ?? 1;
  const parsed =
    document === undefined ? { type: 'value' as const, value: undefined } : createYamlParser()(document.text);
  if (parsed.type === 'error') {
    const line = firstLine + (parsed.line ?? 1) - 1;
    return { type: 'invalid', reasons: [`line ${line}: is not valid YAML or JSON: ${parsed.message}`] };
  }
  const lineOf = createLineLocator(document?.text ?? '');
  const render = (violation: Parameters<typeof formatFinding>[0]): string =>
    `line ${firstLine + lineOf(violation.path) - 1}: ${formatFinding(violation)}`;
  const result = read(parsed.value);
  if (result.type === 'invalid') return { type: 'invalid', reasons: result.violations.map(render) };
  return { type: 'valid', value: result.value, warnings: result.warnings.map(render) };
}
