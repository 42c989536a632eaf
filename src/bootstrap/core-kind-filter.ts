import type { KindRegistry } from '../config/kinds.js';
import type { ChangeBatch } from '../model/object-change.js';

/**
 * Without the Orchestrator registry a folder is a source of configuration alone: what stands for a cluster in
 * it (Services, Pods and so on) is not read.
 */
export function createCoreKindFilter(kinds: KindRegistry, readsCluster: boolean): (batch: ChangeBatch) => ChangeBatch {
  if (readsCluster) return (batch) => batch;
  const meshKinds = new Set(
    kinds.definitions.filter(({ group }) => group.endsWith(`.${kinds.meshDomain}`)).map(({ kind }) => kind),
  );
  return ({ cluster, changes }) => ({
    cluster,
    changes: changes.filter((change) => meshKinds.has(change.type === 'upsert' ? change.object.kind : change.kind)),
  });
}
