import { CORE_SCHEMA, type LoadOptions, Type } from 'js-yaml';
import { MAX_YAML_DEPTH } from './yaml-limits.js';

/** How every document is parsed: YAML 1.2 core types and merge keys, no other tags, bounded depth. */
export function createLoadOptions(): LoadOptions {
  const mergeKey = new Type('tag:yaml.org,2002:merge', { kind: 'scalar', resolve: (text) => text === '<<' });
  // maxDepth is newer than the published types.
  const options: LoadOptions & { readonly maxDepth: number } = {
    schema: CORE_SCHEMA.extend({ implicit: [mergeKey] }),
    maxDepth: MAX_YAML_DEPTH,
  };
  return options;
}
