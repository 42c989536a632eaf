import test from 'ava';
import { service, snapshot, storeWith } from '../mesh-objects.js';

const OLD = { creationTimestamp: '2026-01-01T00:00:00Z' };
const YOUNG = { creationTimestamp: '2026-02-01T00:00:00Z' };

test('what each cluster says of a service is told in the order of their names, whichever has the older one', (t) => {
  for (const [west, north] of [
    [OLD, YOUNG],
    [YOUNG, OLD],
  ]) {
    const store = storeWith();
    for (const [cluster, meta] of [
      ['west', west],
      ['north', north],
    ] as const) {
      store.apply({ cluster, changes: [{ type: 'upsert', object: service('shop/web', {}, meta) }] });
    }
    t.deepEqual([...(snapshot(store).services[0]?.byCluster?.keys() ?? [])], ['north', 'west']);
  }
});
