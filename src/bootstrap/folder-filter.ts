import { isConfigurationGroup, modelKindOf } from '../config/kind-definition.js';
import type { KindRegistry } from '../config/kinds.js';
import type { ChangeBatch, ObjectChange } from '../model/object-change.js';

export interface FolderFilterOptions {
  readonly kinds: KindRegistry;
  /**
   * Whether Services, Pods and so on in the folder are read in place of a cluster's. False without the Orchestrator
   * registry, and where a cluster is read.
   */
  readonly readsCoreKinds: boolean;
  /** `--appNamespace` with the control plane's own; empty for all namespaces. */
  readonly namespaces: readonly string[];
}

/** Creates a filter that removes the objects of a folder that must not be read. */
export function createFolderFilter(options: FolderFilterOptions): (batch: ChangeBatch) => ChangeBatch {
  const { kinds, readsCoreKinds } = options;
  const namespaces = new Set(options.namespaces);
  if (readsCoreKinds && namespaces.size === 0) return (batch) => batch;
  const definitions = new Map(kinds.definitions.map((definition) => [modelKindOf(definition), definition]));
  const isRead = (change: ObjectChange): boolean => {
    const { kind, namespace } =
      change.type === 'upsert'
        ? { kind: change.object.kind, namespace: change.object.metadata.namespace }
        : { kind: change.kind, namespace: change.namespace };
    const definition = definitions.get(kind);
    if (definition === undefined) return false;
    if (!readsCoreKinds && !isConfigurationGroup(definition.group, kinds.meshDomain)) return false;
    return !definition.namespaced || namespaces.size === 0 || namespaces.has(namespace);
  };
  return ({ cluster, changes }) => ({ cluster, changes: changes.filter(isRead) });
}
