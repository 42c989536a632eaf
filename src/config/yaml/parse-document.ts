import { CORE_SCHEMA, load, Type, YAMLException } from 'js-yaml';
import { findHazard } from './hazard.js';
import { MAX_YAML_CHARACTERS, MAX_YAML_DEPTH } from './yaml-limits.js';

/** What one document of YAML or JSON says. */
export type ParsedYaml =
  | { readonly type: 'value'; readonly value: unknown }
  | {
      readonly type: 'error';
      /** Line and column of the document's text, from 1; absent when the whole document is at fault. */
      readonly line?: number;
      readonly column?: number;
      readonly message: string;
    };

export type YamlParser = (text: string) => ParsedYaml;

/**
 * Makes the project's one YAML parser: YAML 1.2 core types (JSON is a part of it) and merge keys, no other
 * tags, duplicate keys refused, and bounded in depth, length and what aliases may expand to.
 */
export function createYamlParser(): YamlParser {
  const mergeKey = new Type('tag:yaml.org,2002:merge', { kind: 'scalar', resolve: (text) => text === '<<' });
  // The option maxDepth is newer than the published types.
  const options: Parameters<typeof load>[1] & { readonly maxDepth: number } = {
    schema: CORE_SCHEMA.extend({ implicit: [mergeKey] }),
    maxDepth: MAX_YAML_DEPTH,
  };
  return (text) => {
    if (text.length > MAX_YAML_CHARACTERS) {
      return { type: 'error', message: `the document is longer than ${MAX_YAML_CHARACTERS} characters; split it` };
    }
    try {
      const value = load(text, options);
      const hazard = findHazard(value, text.length);
      return hazard === undefined ? { type: 'value', value } : { type: 'error', message: hazard };
    } catch (error) {
      if (!(error instanceof YAMLException)) throw error;
      return { type: 'error', message: error.reason, line: error.mark.line + 1, column: error.mark.column + 1 };
    }
  };
}
