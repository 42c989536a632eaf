import test from 'ava';
import type { MeshObject } from '../../../src/config/object.js';
import type { ChangeBatch } from '../../../src/model/object-change.js';
import type { MeshStore } from '../../../src/model/store/mesh-store.js';
import { batch, endpoints, gone, otherObject, pod, service, snapshot, storeWith } from '../mesh-objects.js';

const WEB = 'web.shop.svc.cluster.local';

function remote(...objects: readonly MeshObject[]): ChangeBatch {
  return { ...batch(...objects), cluster: 'west' };
}

/** All that cluster west has. */
function replaced(...objects: readonly MeshObject[]): ChangeBatch {
  return { ...remote(...objects), replacesCluster: true };
}

/** Addresses of the host's endpoints, by shard. */
function shardsOf(store: MeshStore, hostname = WEB): Readonly<Record<string, readonly string[]>> {
  const shards = snapshot(store).endpoints.get(hostname)?.shards ?? new Map();
  return Object.fromEntries(
    [...shards].map(([key, list]) => [key, list.map(({ address }: { address: string }) => address)]),
  );
}

function twoClusters(): MeshStore {
  const store = storeWith();
  store.apply(batch(service('shop/web'), endpoints('shop/web', ['10.0.0.1'])));
  store.apply(remote(service('shop/web'), endpoints('shop/web', ['10.1.0.1']), service('shop/only')));
  return store;
}

test('endpoints of a service that two clusters have are kept apart by cluster', (t) => {
  t.deepEqual(shardsOf(twoClusters()), { 'Orchestrator/east': ['10.0.0.1'], 'Orchestrator/west': ['10.1.0.1'] });
});

test('a batch that replaces a cluster deletes whatever it does not name, in that cluster alone', (t) => {
  const store = twoClusters();
  const { push } = store.apply(replaced(service('shop/web'), endpoints('shop/web', ['10.1.0.2'])));
  t.deepEqual(shardsOf(store), { 'Orchestrator/east': ['10.0.0.1'], 'Orchestrator/west': ['10.1.0.2'] });
  t.false(snapshot(store).servicesByHost.has('only.shop.svc.cluster.local'));
  t.true(push?.full);
  t.deepEqual([...(push?.endpoints ?? [])].sort(), ['only.shop.svc.cluster.local', WEB]);
});

test('a cluster that is replaced by nothing leaves nothing behind', (t) => {
  const store = twoClusters();
  store.apply(remote(pod('shop/web-1', '10.1.0.1'), otherObject('Namespace', '/west-only')));
  store.apply(replaced());
  const context = snapshot(store);
  t.deepEqual(shardsOf(store), { 'Orchestrator/east': ['10.0.0.1'] });
  t.deepEqual(
    context.services.map(({ hostname }) => hostname),
    [WEB],
  );
  t.is(context.objects.get('Pod')?.size, 0);
  t.is(context.objects.get('Namespace')?.size, 0);
  t.deepEqual(store.apply(replaced()).push, undefined);
});

test('a cluster that comes back after its removal is served as before', (t) => {
  const store = twoClusters();
  const before = shardsOf(store);
  store.apply(replaced());
  store.apply(replaced(service('shop/web'), endpoints('shop/web', ['10.1.0.1'])));
  t.deepEqual(shardsOf(store), before);
});

test('replacing a cluster by the same objects changes nothing', (t) => {
  const objects = [service('shop/web'), endpoints('shop/web', ['10.1.0.1'])];
  const store = storeWith();
  store.apply(remote(...objects));
  const { services, endpoints: known } = snapshot(store);
  t.is(store.apply(replaced(...objects)).push, undefined);
  t.is(snapshot(store).services[0], services[0]);
  t.is(snapshot(store).endpoints.get(WEB), known.get(WEB));
});

test('objects of another API server are taken over even where their versions are equal by chance', (t) => {
  const store = storeWith();
  const object = endpoints('shop/web', ['10.1.0.1']);
  store.apply(remote(service('shop/web'), object));
  const other = endpoints('shop/web', ['10.1.0.9']);
  store.apply(replaced(service('shop/web'), { ...other, metadata: object.metadata }));
  t.deepEqual(shardsOf(store), { 'Orchestrator/west': ['10.1.0.9'] });
});

test('the last object of a cluster may go one by one as well', (t) => {
  const store = twoClusters();
  store.apply({
    cluster: 'west',
    changes: [gone(service('shop/web')), gone(endpoints('shop/web', [])), gone(service('shop/only'))],
  });
  t.deepEqual(shardsOf(store), { 'Orchestrator/east': ['10.0.0.1'] });
});
