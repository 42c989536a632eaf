import { apiVersionOf, type KindDefinition } from '../../config/kind-definition.js';

/** A watched list of objects: a kind, in one namespace or everywhere. */
export interface Resource {
  readonly definition: KindDefinition;
  /** Empty for all namespaces, and for kinds that have none. */
  readonly namespace: string;
}

/** The lists of a kind: one for each namespace that is read. @param namespaces empty for all */
export function resourcesOf(definition: KindDefinition, namespaces: readonly string[]): readonly Resource[] {
  const scopes = definition.namespaced && namespaces.length > 0 ? [...new Set(namespaces)] : [''];
  return scopes.map((namespace) => ({ definition, namespace }));
}

/** URL paths of the list, one for each version of the kind; the first one that the API server has is used. */
export function pathsOf({ definition, namespace }: Resource): readonly string[] {
  return definition.versions.map((version) => {
    const group = definition.group === '' ? `/api/${version}` : `/apis/${apiVersionOf(definition, version)}`;
    const scope = namespace === '' ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
    return `${group}${scope}/${definition.plural}`;
  });
}

/** `quotaspecs.config.mesh.internal`, the name in RBAC rules and messages. */
export function resourceName({ definition: { plural, group } }: Resource): string {
  return group === '' ? plural : `${plural}.${group}`;
}
