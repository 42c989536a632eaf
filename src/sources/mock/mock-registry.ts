import { keyOf, type MeshObject, type ObjectKey } from '../../config/object.js';
import type { ChangeBatch, ObjectChange } from '../../model/object-change.js';
import type { Source } from '../source.js';

/**
 * A registry in memory, for tests and debugging. With `--registries Mock` it starts empty and stays empty
 * (docs/reference/sources.md#mock-registry).
 */
export interface MockRegistry extends Source {
  /** Adds objects as one batch. An object replaces the one of the same kind, namespace and name. */
  upsert(...objects: readonly MeshObject[]): void;
  /** Removes objects by key, as one batch; unknown keys are skipped. */
  remove(...keys: readonly ObjectKey[]): void;
  objects(): readonly MeshObject[];
}

export interface MockRegistryOptions {
  /** The cluster to which the objects belong. */
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
