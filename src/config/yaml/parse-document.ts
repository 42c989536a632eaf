import { CORE_SCHEMA, type LoadOptions, load, Type, YAMLException } from 'js-yaml';

/** Maximum nesting. The deepest kind has about twelve levels. */
const MAX_YAML_DEPTH = 64;

/** Maximum length of a document in characters. An API server accepts objects of 1.5 MiB; a List is longer. */
const MAX_YAML_CHARACTERS = 32 * 1024 * 1024;

/** The value of one YAML or JSON document, or its syntax error. */
export type ParsedYaml =
  | { readonly type: 'value'; readonly value: unknown }
  | {
      readonly type: 'error';
      /** Line and column of the document's text, from 1; absent if the error concerns the whole document. */
      readonly line?: number;
      readonly column?: number;
      readonly message: string;
    };

export type YamlParser = (text: string) => ParsedYaml;

/**
 * Makes the YAML parser of all sources. It reads the core types of YAML 1.2, of which JSON is a subset, and merge keys. It
 * rejects other tags and duplicate keys, and limits depth, length and the expansion of aliases.
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

/** Options for js-yaml: YAML 1.2 core types and merge keys, no other tags, limited depth. */
export function createLoadOptions(): LoadOptions {
  const mergeKey = new Type('tag:yaml.org,2002:merge', { kind: 'scalar', resolve: (text) => text === '<<' });
  // The published types do not have maxDepth.
  const options: LoadOptions & { readonly maxDepth: number } = {
    schema: CORE_SCHEMA.extend({ implicit: [mergeKey] }),
    maxDepth: MAX_YAML_DEPTH,
  };
  return options;
}

/** Values that the aliases of a short document may expand to. */
const FREE_NODES = 10_000;

/**
 * Finds the parts of a parsed value that endanger its readers: aliases that expand to more values than the text has
 * characters ("YAML bomb"), deep nesting through aliases, and `__proto__` keys. Returns the message of the first.
 */
function findHazard(value: unknown, textLength: number): string | undefined {
  let nodesLeft = Math.max(FREE_NODES, textLength);
  const visit = (node: unknown, depth: number): string | undefined => {
    nodesLeft--;
    if (nodesLeft < 0) return 'aliases expand to far more than the text itself; write the values out';
    if (typeof node !== 'object' || node === null) return undefined;
    if (depth >= MAX_YAML_DEPTH) return `the nesting is deeper than ${MAX_YAML_DEPTH} levels; flatten it`;
    if (Array.isArray(node)) {
      for (const item of node) {
        const hazard = visit(item, depth + 1);
        if (hazard !== undefined) return hazard;
      }
      return undefined;
    }
    for (const [key, item] of Object.entries(node)) {
      if (key === '__proto__') return 'the key __proto__ is not allowed; rename it';
      const hazard = visit(item, depth + 1);
      if (hazard !== undefined) return hazard;
    }
    return undefined;
  };
  return visit(value, 0);
}
