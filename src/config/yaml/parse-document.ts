import { load, YAMLException } from 'js-yaml';
import { findHazard } from './hazard.js';
import { createLoadOptions } from './load-options.js';
import { MAX_YAML_CHARACTERS } from './yaml-limits.js';

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
  const options = createLoadOptions();
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
      // An error at the end of input has no mark.
      const mark: { readonly line: number; readonly column: number } | undefined = error.mark;
      const place = mark === undefined ? {} : { line: mark.line + 1, column: mark.column + 1 };
      return { type: 'error', message: error.reason, ...place };
    }
  };
}
