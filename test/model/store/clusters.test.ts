import test from 'ava';
import type { MeshObject } from '../../../src/config/object.js';
import type { ChangeBatch } from '../../../src/model/object-change.js';
import type { MeshStore } from '../../../src/model/store/mesh-store.js';
import { buildProxy } from '../../generators/context-builder.js';
import {
  batch,
  endpoints,
  gone,
  otherObject,
  pod,
  service,
  serviceEntry,
  snapshot,
  storeWith,
  workload,
} from '../mesh-objects.js';

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

/** A service of cluster west that has the other cluster's address for something else. */
const TWIN = service('shop/twin', { clusterIP: '10.96.0.1' }, { creationTimestamp: '2020-01-01T00:00:00Z' });

function hostsAndAddresses(store: MeshStore, cluster?: string): readonly string[] {
  return snapshot(store)
    .viewIn('shop', cluster)
    .services.map(({ name, addresses }) => `${name} ${addresses}`);
}

test('a proxy is served the virtual IP that a service has in its own cluster', (t) => {
  const store = storeWith();
  store.apply(batch(service('shop/web', { clusterIP: '10.96.0.1' })));
  store.apply(remote(service('shop/web', { clusterIP: '10.97.0.9' })));
  t.deepEqual(hostsAndAddresses(store, 'west'), ['web 10.97.0.9']);
  for (const own of ['east', 'unheard-of', undefined]) t.deepEqual(hostsAndAddresses(store, own), ['web 10.96.0.1']);
});

test('where two clusters give one address to different services, the own one comes first whatever its age', (t) => {
  const store = storeWith();
  store.apply(batch(service('shop/web', { clusterIP: '10.96.0.1' }, { creationTimestamp: '2026-01-01T00:00:00Z' })));
  store.apply(remote(TWIN));
  t.deepEqual(hostsAndAddresses(store, 'east'), ['web 10.96.0.1', 'twin 10.96.0.1']);
  t.deepEqual(hostsAndAddresses(store, 'west'), ['twin 10.96.0.1', 'web 10.96.0.1']);
});

test('a proxy is in the cluster that it says, if that is read, and else in the own one', (t) => {
  const store = twoClusters();
  const inClusters = ['east', 'west', 'unheard-of', undefined].map((said) => snapshot(store).clusterOf(said));
  t.deepEqual(inClusters, ['east', 'west', 'east', 'east']);
  store.apply(replaced());
  t.is(snapshot(store).clusterOf('west'), 'east');
});

test('a cluster that makes no difference has the very view that all have, and views stay while nothing changes', (t) => {
  const store = storeWith();
  store.apply(batch(service('shop/web')));
  const alone = snapshot(store);
  t.is(alone.viewIn('shop', 'east'), alone.viewOf('shop'));
  store.apply(remote(service('shop/web', { clusterIP: '10.97.0.9' })));
  const first = snapshot(store);
  t.is(first.viewIn('shop', 'east'), first.viewOf('shop'));
  const inWest = first.viewIn('shop', 'west');
  t.not(inWest.id, first.viewOf('shop').id);
  store.apply(remote(endpoints('shop/web', ['10.1.0.1'])));
  const second = snapshot(store, first);
  t.is(second.viewIn('shop', 'west'), inWest);
});

test('a cluster that comes or goes is a push of everything: proxies in it are served otherwise', (t) => {
  const store = storeWith();
  store.apply(batch(service('shop/web'), endpoints('shop/web', ['10.0.0.1'])));
  const proxy = buildProxy({ configNamespace: 'shop', ipAddresses: ['10.0.0.1'] }, { clusterId: 'west' });
  const isServed = (): boolean => snapshot(store).targetsOf(proxy).length > 0;
  t.true(isServed());
  t.is(store.apply(remote(pod('shop/idle', '10.1.0.1'))).push?.changed, 'everything');
  t.false(isServed());
  t.is(store.apply(remote(pod('shop/idle', '10.1.0.2'))).push, undefined);
  t.is(store.apply(replaced()).push?.changed, 'everything');
  t.true(isServed());
});

test('a virtual IP that changes in a remote cluster is a full push of that service', (t) => {
  const store = storeWith();
  store.apply(batch(service('shop/web')));
  store.apply(remote(service('shop/web', { clusterIP: '10.97.0.9' })));
  const { push } = store.apply(remote(service('shop/web', { clusterIP: '10.97.0.10' })));
  t.true(push?.full);
  t.deepEqual([...(push?.changed ?? [])], ['Service/shop/web']);
});

test('a headless service ignores its addresses in other clusters', (t) => {
  const store = storeWith();
  store.apply(batch(service('shop/web', { clusterIP: 'None' })));
  store.apply(remote(service('shop/web', { clusterIP: '10.97.0.9' })));
  t.deepEqual(hostsAndAddresses(store, 'west'), ['web ']);
});

test('pods of two clusters that have one address are different workloads', (t) => {
  const store = storeWith();
  store.apply(batch(service('shop/web'), endpoints('shop/web', ['10.0.0.1'])));
  store.apply(remote(service('shop/api'), endpoints('shop/api', ['10.0.0.1'])));
  store.apply(batch(serviceEntry('shop/vm', { hosts: ['vm.internal'], endpoints: [workload('10.0.0.1')] })));
  const context = snapshot(store);
  const servicesOf = (clusterId?: string): readonly string[] => {
    const metadata = clusterId === undefined ? {} : { clusterId };
    const proxy = buildProxy({ configNamespace: 'shop', ipAddresses: ['10.0.0.1'] }, metadata);
    return context.targetsOf(proxy).map(({ service: { hostname } }) => hostname);
  };
  t.deepEqual(servicesOf('east'), ['vm.internal', WEB]);
  t.deepEqual(servicesOf('west'), ['api.shop.svc.cluster.local', 'vm.internal']);
  for (const own of ['unheard-of', undefined]) t.deepEqual(servicesOf(own), servicesOf('east'));
});

test('where a service is reached from outside is known by cluster', (t) => {
  const store = storeWith();
  const type = 'LoadBalancer';
  store.apply(batch(service('shop/web', { externalIPs: ['192.0.2.1'] }), service('shop/inner')));
  store.apply(remote(withBalancer(service('shop/web', { type, clusterIP: '10.97.0.9' }), '198.51.100.7')));
  const { servicesByHost } = snapshot(store);
  t.deepEqual(
    servicesByHost.get(WEB)?.byCluster,
    new Map([
      ['east', { addresses: ['10.96.0.1'], externalAddresses: ['192.0.2.1'] }],
      ['west', { addresses: ['10.97.0.9'], externalAddresses: ['198.51.100.7'] }],
    ]),
  );
  t.is(servicesByHost.get('inner.shop.svc.cluster.local')?.byCluster, undefined);
});

function withBalancer(object: MeshObject, ip: string): MeshObject {
  const body = { ...(object.body as object), status: { loadBalancer: { ingress: [{ ip }, { hostname: 'lb' }] } } };
  return { ...object, body };
}
