import { hash } from 'node:crypto';
import { isTracked } from '../config/kind-traits.js';
import type { MeshObject, ObjectKey } from '../config/object.js';
import type { PushContext } from '../model/push-context.js';
import { kindOfKey, MESH_CONFIG_KEY, type PushRequest } from '../model/push-request.js';
import type { LedgerChange } from './distribution-ledger.js';

/**
 * The versions of objects that the ledger has to record for a snapshot.
 *
 * @param previous the snapshot that was recorded last; undefined before the first
 * @param changed the objects of the push; for `everything` the two snapshots are compared
 */
export function* ledgerChanges(
  previous: PushContext | undefined,
  context: PushContext,
  changed: PushRequest['changed'],
): Iterable<LedgerChange> {
  if (changed !== 'everything' && previous !== undefined) {
    for (const key of changed) if (isTracked(kindOfKey(key))) yield { key, version: versionOf(context, key) };
    return;
  }
  if (previous === undefined || previous.mesh !== context.mesh || previous.networks !== context.networks) {
    // The mesh config has no version of its own, and proxies have to acknowledge its changes.
    yield { key: MESH_CONFIG_KEY, version: hash('sha256', JSON.stringify([context.mesh, context.networks])) };
  }
  for (const kind of new Set([...(previous?.objects.keys() ?? []), ...context.objects.keys()])) {
    if (isTracked(kind)) yield* compare(previous?.objects.get(kind), context.objects.get(kind));
  }
}

type Table = ReadonlyMap<ObjectKey, MeshObject> | undefined;

/** Snapshots share the objects that did not change. */
function* compare(before: Table, after: Table): Iterable<LedgerChange> {
  if (before === after) return;
  for (const key of before?.keys() ?? []) if (after?.has(key) !== true) yield { key, version: undefined };
  for (const [key, object] of after ?? []) {
    if (before?.get(key) !== object) yield { key, version: object.metadata.resourceVersion };
  }
}

function versionOf(context: PushContext, key: ObjectKey): string | undefined {
  return context.objects.get(kindOfKey(key))?.get(key)?.metadata.resourceVersion;
}
