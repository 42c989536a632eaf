import test from 'ava';
import { keyOf, type MeshObject } from '../../../src/config/object.js';
import type { PushContext } from '../../../src/model/push-context.js';
import type { MeshStore } from '../../../src/model/store/mesh-store.js';
import { buildProxy } from '../../generators/context-builder.js';
import fc from '../../support/property-testing.js';
import { batch, endpoints, gone, pod, service, serviceEntry, snapshot, storeWith, workload } from '../mesh-objects.js';

const CLUSTERS = ['east', 'west', 'north'] as const;
const ADDRESSES = ['10.0.0.1', '10.0.0.2'] as const;

const path = fc.constantFrom('shop/web', 'shop/api');
const created = fc.constantFrom({}, { creationTimestamp: '2026-01-01T00:00:00Z' });
const anyService = fc
  .tuple(path, fc.constantFrom('10.96.0.1', '10.96.0.2', 'None'), fc.constantFrom([], ['192.0.2.1']), created)
  .map(([at, clusterIP, externalIPs, meta]) => service(at, { clusterIP, externalIPs, selector: { app: 'web' } }, meta));
const anyEndpoints = fc.tuple(path, fc.subarray([...ADDRESSES])).map(([at, ips]) => endpoints(at, ips));
const anyPod = fc
  .tuple(fc.constantFrom('shop/p0', 'shop/p1'), fc.constantFrom(...ADDRESSES), fc.constantFrom('default', 'robot'))
  .map(([at, ip, serviceAccountName]) => pod(at, ip, { labels: { app: 'web' } }, { serviceAccountName }));
const anyEntry = fc
  .constantFrom(...ADDRESSES)
  .map((ip) => serviceEntry('shop/vm', { hosts: ['web.shop.svc.cluster.local'], endpoints: [workload(ip)] }));
const anyObject = fc.oneof(anyService, anyEndpoints, anyPod, anyEntry);

const anyStep = fc.record({
  cluster: fc.constantFrom(...CLUSTERS),
  type: fc.constantFrom('upsert' as const, 'upsert' as const, 'delete' as const, 'replace' as const),
  objects: fc.array(anyObject, { maxLength: 4 }),
});

/** Everything that proxies in the three clusters are served from; views by content, for ids count history. */
function contentOf(context: PushContext): unknown {
  const proxies = [...CLUSTERS, 'unheard-of'].flatMap((clusterId) =>
    ADDRESSES.map((ip) => buildProxy({ configNamespace: 'shop', ipAddresses: [ip] }, { clusterId })),
  );
  return {
    services: context.services,
    endpoints: [...context.endpoints.entries()].sort(byKey).map(([host, { shards, serviceAccounts }]) => ({
      host,
      shards: [...shards].sort(byKey),
      // Kept over the time without endpoints, which a fresh mesh knows nothing of.
      serviceAccounts: [...shards.values()].flat().length === 0 ? [] : serviceAccounts,
    })),
    objects: [...context.objects.values()].flatMap((objects) => [...objects]).sort(byKey),
    findings: context.findings.map(({ metric, key, message }) => `${metric} ${key} ${message}`).sort(),
    sharedPorts: context.sharedPorts,
    views: [...CLUSTERS, 'unheard-of', undefined].map((cluster) => context.viewIn('shop', cluster).services),
    targets: proxies.map((proxy) => context.targetsOf(proxy)),
  };
}

function byKey([first]: readonly [string, unknown], [second]: readonly [string, unknown]): number {
  return first < second ? -1 : 1;
}

test('any history of clusters that change, appear, are replaced and disappear ends in the state of a fresh store with the remaining objects', (t) => {
  fc.assert(
    fc.property(fc.array(anyStep, { maxLength: 25 }), (history) => {
      const store = storeWith();
      const final = new Map(CLUSTERS.map((cluster) => [cluster, new Map<string, MeshObject>()]));
      for (const [index, { cluster, type, objects }] of history.entries()) {
        const present = final.get(cluster);
        if (present === undefined) throw new Error('not a cluster of the test');
        const changes = type === 'delete' ? objects.map(gone) : objects;
        store.apply({ ...batch(...changes), cluster, replacesCluster: type === 'replace' });
        if (type === 'replace') present.clear();
        for (const object of objects) {
          if (type === 'delete') present.delete(keyOf(object));
          else present.set(keyOf(object), object);
        }
        if (index % 2 === 0) snapshot(store);
      }
      t.deepEqual(contentOf(snapshot(store)), contentOf(snapshot(fresh(final))));
    }),
    { numRuns: 300 },
  );
});

function fresh(clusters: ReadonlyMap<string, ReadonlyMap<string, MeshObject>>): MeshStore {
  const store = storeWith();
  for (const [cluster, objects] of clusters) {
    if (objects.size > 0) store.apply({ ...batch(...objects.values()), cluster });
  }
  return store;
}
