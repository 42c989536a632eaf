import { hash } from 'node:crypto';
import { isTracked } from '../config/kind-traits.js';
import type { ObjectKey } from '../config/object.js';
import type { PushContext } from '../model/push-context.js';
import { kindOfKey, MESH_CONFIG_KEY, type PushRequest } from '../model/push-request.js';
import type { LedgerChange } from './distribution-ledger.js';

/** The versions that the ledger has to learn for a snapshot. */
export function* ledgerChanges(context: PushContext, changed: PushRequest['changed']): Iterable<LedgerChange> {
  if (changed !== 'everything') {
    for (const key of changed) {
      if (!isTracked(kindOfKey(key))) continue;
      yield { key, version: versionOf(context, key) };
    }
    return;
  }
  // It has no version of its own, and proxies have to acknowledge what it changes.
  yield { key: MESH_CONFIG_KEY, version: hash('sha256', JSON.stringify([context.mesh, context.networks])) };
  for (const [kind, objects] of context.objects) {
    if (!isTracked(kind)) continue;
    for (const [key, object] of objects) yield { key, version: object.metadata.resourceVersion };
  }
}

function versionOf(context: PushContext, key: ObjectKey): string | undefined {
  return context.objects.get(kindOfKey(key))?.get(key)?.metadata.resourceVersion;
}
