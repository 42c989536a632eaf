import { keyOf, type MeshObject, type ObjectKey } from '../../config/object.js';
import type { ChangeBatch, ObjectChange } from '../../model/object-change.js';
import type { Source } from '../source.js';

/**
 * A registry in memory, for tests and debugging; as `--registries Mock` it starts, and stays, empty
 * (docs/reference/sources.md#mock-registry).
 */
export interface MockRegistry extends Source {
  /** Adds objects, or replaces those of the same kind, namespace and name, as one batch. */
  upsert(...objects: readonly MeshObject[]): void;
  /** Removes objects by key, as one batch; unknown keys are skipped. */
  remove(...keys: readonly ObjectKey[]): void;
  objects(): readonly MeshObject[];
}

export interface MockRegistryOptions {
  /** Cluster that the objects count as living in. */
  readonly cluster: string;
}

export function createMockRegistry({ cluster }: MockRegistryOptions): MockRegistry {
  const objects = new Map<ObjectKey, MeshObject>();
  let deliver: ((batch: ChangeBatch) => void) | undefined;
  const tell = (changes: readonly ObjectChange[]): void => {
    if (changes.length > 0) deliver?.({ cluster, changes });
  };
  return {
    name: 'mock',
    start: async (deliverBatch) => {
      deliver = deliverBatch;
      tell([...objects.values()].map((object) => ({ type: 'upsert', object })));
    },
    stop: async () => {
      deliver = undefined;
    },
    upsert: (...added) => {
      for (const object of added) objects.set(keyOf(object), object);
      tell(added.map((object) => ({ type: 'upsert', object })));
    },
    remove: (...keys) => {
      const removed = keys.flatMap((key) => objects.get(key) ?? []);
      for (const object of removed) objects.delete(keyOf(object));
      tell(
        removed.map(({ kind, metadata }) => ({
          type: 'delete',
          kind,
          namespace: metadata.namespace,
          name: metadata.name,
        })),
      );
    },
    objects: () => [...objects.values()],
  };
}
