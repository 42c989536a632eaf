import { isTracked } from '../config/kind-traits.js';
import type { ObjectKey } from '../config/object.js';
import type { PushContext } from '../model/push-context.js';
import { kindOfKey, type PushRequest } from '../model/push-request.js';
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
  for (const [kind, objects] of context.objects) {
    if (!isTracked(kind)) continue;
    for (const [key, object] of objects) yield { key, version: object.metadata.resourceVersion };
  }
}

function versionOf(context: PushContext, key: ObjectKey): string | undefined {
  return context.objects.get(kindOfKey(key))?.get(key)?.metadata.resourceVersion;
}
