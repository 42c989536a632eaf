import test from 'ava';
import { service, snapshot, storeWith } from '../mesh-objects.js';

const OLD = { creationTimestamp: '2026-01-01T00:00:00Z' };
const YOUNG = { creationTimestamp: '2026-02-01T00:00:00Z' };

test('the clusters of a service are sorted by name, whatever their ages', (t) => {
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
