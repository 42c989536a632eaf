import { isTracked } from '../../config/kind-traits.js';
import type { MeshObject, ObjectKey } from '../../config/object.js';
import type { PushContext } from '../../model/push-context.js';
import { MESH_CONFIG_KEY } from '../../model/push-request.js';

/** Objects that were added, changed or removed between two snapshots, which share what stayed by identity. */
export function changedObjects(before: PushContext, after: PushContext): ReadonlySet<ObjectKey> {
  const changed = new Set<ObjectKey>();
  if (before.mesh !== after.mesh || before.networks !== after.networks) changed.add(MESH_CONFIG_KEY);
  for (const kind of new Set([...before.objects.keys(), ...after.objects.keys()])) {
    if (!isTracked(kind)) continue;
    compare(before.objects.get(kind), after.objects.get(kind), changed);
  }
  return changed;
}

type Table = ReadonlyMap<ObjectKey, MeshObject> | undefined;

function compare(before: Table, after: Table, changed: Set<ObjectKey>): void {
  if (before === after) return;
  for (const key of before?.keys() ?? []) if (after?.has(key) !== true) changed.add(key);
  for (const [key, object] of after ?? []) if (before?.get(key) !== object) changed.add(key);
}
