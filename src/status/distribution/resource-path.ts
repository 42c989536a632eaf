import type { KindDefinition } from '../../config/kind-definition.js';
import type { ObjectKey } from '../../config/object.js';

/** Translates keys of objects to paths in reports: `group/version/plural/namespace/name`. */
export interface ResourcePaths {
  pathOf(key: ObjectKey): string;
  /** Undefined if the text is not the path of a known kind. */
  keyOf(path: string): ObjectKey | undefined;
}

export function createResourcePaths(definitions: readonly KindDefinition[]): ResourcePaths {
  const prefixes = new Map(
    definitions.map(({ kind, group, versions, plural }) => [kind, `${group}/${versions[0]}/${plural}`]),
  );
  const kinds = new Map([...prefixes].map(([kind, prefix]) => [prefix, kind]));
  return {
    pathOf: (key) => {
      const slash = key.indexOf('/');
      return `${prefixes.get(key.slice(0, slash)) ?? key.slice(0, slash)}${key.slice(slash)}`;
    },
    keyOf: (path) => {
      const [group, version, plural, ...rest] = path.split('/');
      const kind = kinds.get(`${group}/${version}/${plural}`);
      return kind === undefined ? undefined : [kind, ...rest].join('/');
    },
  };
}
