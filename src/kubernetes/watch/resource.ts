import { apiVersionOf, type KindDefinition } from '../../config/kind-definition.js';

/** One list of objects that is watched: a kind, in one namespace or everywhere. */
export interface Resource {
  readonly definition: KindDefinition;
  /** Empty for all namespaces, and for kinds that have none. */
  readonly namespace: string;
}

/** URL paths of the list, one per version that the kind is read in; the first that the API server has is used. */
export function pathsOf({ definition, namespace }: Resource): readonly string[] {
  return definition.versions.map((version) => {
    const group = definition.group === '' ? `/api/${version}` : `/apis/${apiVersionOf(definition, version)}`;
    const scope = namespace === '' ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
    return `${group}${scope}/${definition.plural}`;
  });
}

/** `quotaspecs.config.mesh.internal`, as RBAC rules and messages name it. */
export function resourceName({ definition: { plural, group } }: Resource): string {
  return group === '' ? plural : `${plural}.${group}`;
}
