import test from 'ava';
import { buildProxy } from '../../generators/context-builder.js';
import {
  batch,
  endpoints,
  otherObject,
  pod,
  port,
  service,
  serviceEntry,
  snapshot,
  storeWith,
  workload,
} from '../mesh-objects.js';

const WEB = 'web.shop.svc.cluster.local';
const DB = 'db.shop.svc.cluster.local';
const MESH_OBJECTS = [
  service('shop/web'),
  endpoints('shop/web', ['10.0.0.1', '10.0.0.2']),
  service('shop/db'),
  endpoints('shop/db', ['10.0.0.3']),
  serviceEntry('bank/api', { exportTo: ['.'] }),
];

function meshStore() {
  const store = storeWith();
  store.apply(batch(...MESH_OBJECTS));
  return store;
}

const inShop = (ip: string) => buildProxy({ configNamespace: 'shop', ipAddresses: [ip] });

test('a snapshot after nothing happened shares everything with the one before', (t) => {
  const store = meshStore();
  const first = snapshot(store);
  const second = snapshot(store, first);
  t.is(second.sequence, 2);
  t.is(second.version, '1970-01-01T00:00:00.000Z/2');
  for (const key of [
    'services',
    'servicesByHost',
    'shadowedByHost',
    'endpoints',
    'objects',
    'findings',
    'mesh',
    'networks',
  ] as const) {
    t.is(second[key], first[key], key);
  }
  t.is(second.viewOf('shop'), first.viewOf('shop'));
  t.is(second.viewOf('bank'), first.viewOf('bank'));
});

test('a changed endpoint makes a new object of its service endpoints alone, and keeps the other endpoint', (t) => {
  const store = meshStore();
  const before = snapshot(store);
  store.apply(batch(endpoints('shop/web', ['10.0.0.1', '10.0.0.9'])));
  const after = snapshot(store, before);
  t.not(after.endpoints.get(WEB), before.endpoints.get(WEB));
  t.is(
    after.endpoints.get(WEB)?.shards.get('Orchestrator/east')?.[0],
    before.endpoints.get(WEB)?.shards.get('Orchestrator/east')?.[0],
  );
  t.is(after.endpoints.get(WEB)?.serviceAccounts, before.endpoints.get(WEB)?.serviceAccounts);
  t.is(after.endpoints.get(DB), before.endpoints.get(DB));
  t.is(after.services, before.services);
  t.is(after.viewOf('shop'), before.viewOf('shop'));
  t.is(after.targetsOf(inShop('10.0.0.1')), before.targetsOf(inShop('10.0.0.1')));
});

test('a changed service is a new object; other services and other views keep theirs', (t) => {
  const store = meshStore();
  const before = snapshot(store);
  store.apply(batch(service('shop/web', { ports: [port(80, 'grpc')] })));
  const after = snapshot(store, before);
  t.not(after.servicesByHost.get(WEB), before.servicesByHost.get(WEB));
  t.is(after.servicesByHost.get(DB), before.servicesByHost.get(DB));
  t.is(after.endpoints.get(WEB), before.endpoints.get(WEB));
  t.not(after.viewOf('shop'), before.viewOf('shop'));
  t.not(after.viewOf('shop').id, before.viewOf('shop').id);
});

test('objects delivered again with nothing new for proxies leave services and endpoints as they are', (t) => {
  const store = meshStore();
  const before = snapshot(store);
  store.apply(
    batch(service('shop/web', {}, { annotations: { note: 'x' } }), endpoints('shop/web', ['10.0.0.2', '10.0.0.1'])),
  );
  const after = snapshot(store, before);
  t.is(after.services, before.services);
  t.is(after.endpoints, before.endpoints);
  t.not(after.objects, before.objects);
});

test('a kind that is not touched keeps its map of objects', (t) => {
  const store = meshStore();
  const before = snapshot(store);
  store.apply(batch(otherObject('Sidecar', 'shop/one')));
  const after = snapshot(store, before);
  t.is(after.objects.get('Service'), before.objects.get('Service'));
  t.is(after.objects.get('Sidecar')?.size, 1);
});

test('namespaces that see only public services share one view', (t) => {
  const context = snapshot(meshStore());
  t.is(context.viewOf('shop'), context.viewOf('elsewhere'));
  t.not(context.viewOf('bank'), context.viewOf('shop'));
  t.is(context.viewOf('bank').services.length, 3);
});

test('namespaces that see the same private services share one view', (t) => {
  const store = storeWith();
  store.apply(batch(...MESH_OBJECTS, serviceEntry('ops/log', { hosts: ['log.io'], exportTo: ['a', 'b'] })));
  const context = snapshot(store);
  t.is(context.viewOf('a'), context.viewOf('b'));
  t.not(context.viewOf('a').id, context.viewOf('ops').id);
});

test('a private change leaves the view of everybody else the very same', (t) => {
  const store = meshStore();
  const before = snapshot(store);
  store.apply(batch(serviceEntry('bank/api', { exportTo: ['.'], addresses: ['10.97.0.1'] })));
  const after = snapshot(store, before);
  t.is(after.viewOf('shop'), before.viewOf('shop'));
  t.not(after.viewOf('bank'), before.viewOf('bank'));
});

test('views are sorted oldest first, then by hostname, unknown age last', (t) => {
  const store = storeWith();
  const aged = (day: number) => ({ creationTimestamp: `2026-01-0${day}T00:00:00Z` });
  store.apply(
    batch(
      serviceEntry('shop/a', { hosts: ['a.io'] }),
      serviceEntry('shop/b', { hosts: ['b.io'] }, aged(2)),
      serviceEntry('shop/c', { hosts: ['c.io'] }, aged(1)),
      serviceEntry('shop/d', { hosts: ['d.io'], exportTo: ['.'] }, aged(1)),
    ),
  );
  const hosts = snapshot(store)
    .viewOf('shop')
    .services.map(({ hostname }) => hostname);
  t.deepEqual(hosts, ['c.io', 'd.io', 'b.io', 'a.io']);
});

test('proxies of one deployment have the very same targets, sorted by host and port', (t) => {
  const store = storeWith();
  const ports = [port(90, 'tcp', { targetPort: 9090 }), port(80, 'http', { targetPort: 8080 })];
  const app = { labels: { app: 'web' } };
  store.apply(
    batch(
      service('shop/web', { selector: { app: 'web' }, ports }),
      service('shop/alias', { selector: { app: 'web' } }),
      pod('shop/web-1', '10.0.0.1', app),
      pod('shop/web-2', '10.0.0.2', app),
    ),
  );
  const context = snapshot(store);
  const targets = context.targetsOf(inShop('10.0.0.1'));
  t.is(context.targetsOf(inShop('10.0.0.2')), targets);
  t.deepEqual(
    targets.map((target) => `${target.service.name} ${target.port.number} ${target.targetPort}`),
    ['alias 80 80', 'web 80 8080', 'web 90 9090'],
  );
});

test('a proxy with several addresses has the targets of all of them once', (t) => {
  const context = snapshot(meshStore());
  const both = context.targetsOf(buildProxy({ configNamespace: 'shop', ipAddresses: ['10.0.0.1', '10.0.0.3'] }));
  t.deepEqual(
    both.map((target) => target.service.hostname),
    [DB, WEB],
  );
  const twice = context.targetsOf(buildProxy({ configNamespace: 'shop', ipAddresses: ['10.0.0.1', '10.0.0.2'] }));
  t.is(twice, context.targetsOf(inShop('10.0.0.1')));
});

test('services of another namespace are not the proxy own, even at its address', (t) => {
  const store = meshStore();
  store.apply(batch(serviceEntry('evil/x', { hosts: ['x.io'], endpoints: [workload('10.0.0.1')] })));
  const context = snapshot(store);
  t.deepEqual(
    context.targetsOf(inShop('10.0.0.1')).map((target) => target.service.hostname),
    [WEB],
  );
  t.is(context.targetsOf(inShop('10.9.9.9')).length, 0);
});

test('an IPv6 address is the same in every spelling', (t) => {
  const store = storeWith();
  store.apply(batch(serviceEntry('shop/x', { hosts: ['x.io'], endpoints: [workload('FD00:0:0::1')] })));
  t.is(snapshot(store).targetsOf(inShop('fd00::1')).length, 1);
});
