import test from 'ava';
import type { ServiceEntrySpec } from '../../../src/config/networking/service-entry.js';
import type { MeshObject } from '../../../src/config/object.js';
import type { PushContext } from '../../../src/model/push-context.js';
import type { MeshStore } from '../../../src/model/store/mesh-store.js';
import { MESH } from '../../generators/context-builder.js';
import { batch, gone, otherObject, service, serviceEntry, snapshot, storeWith } from '../mesh-objects.js';

const OLD = '2020-01-01T00:00:00Z';
const NEW = '2026-01-01T00:00:00Z';

function entry(path: string, fields: Partial<ServiceEntrySpec>, creationTimestamp = OLD): MeshObject {
  return { ...serviceEntry(path, fields, { creationTimestamp }), origin: 'cluster' };
}

/** Namespace of the service that proxies of a namespace are served for a host; undefined for none. */
function servedTo(context: PushContext, namespace: string, hostname: string): string | undefined {
  return context.viewOf(namespace).services.find((each) => each.hostname === hostname)?.namespace;
}

const offending = (store: MeshStore): readonly string[] => [...snapshot(store).entryOffences.keys()].sort();

const WEB = 'web.shop.svc.cluster.local';

test('a host of another namespace that was claimed before its Service acts on the own namespace alone', (t) => {
  const store = storeWith();
  store.apply(batch(entry('evil/e', { hosts: [WEB, 'api.example.com'] })));
  const before = snapshot(store);
  t.is(servedTo(before, 'shop', WEB), undefined);
  t.is(servedTo(before, 'evil', WEB), 'evil');
  t.is(servedTo(before, 'shop', 'api.example.com'), 'evil', 'its other host is as exported');
  store.apply(batch(service('shop/web', {}, { creationTimestamp: NEW })));
  const after = snapshot(store);
  t.is(servedTo(after, 'shop', WEB), 'shop');
  t.is(servedTo(after, 'other', WEB), 'shop');
  t.deepEqual(offending(store), ['ServiceEntry/evil/e']);
});

test('a catch-all range keeps the whole entry in its namespace', (t) => {
  const store = storeWith();
  store.apply(batch(entry('evil/e', { hosts: ['api.example.com'], addresses: ['0.0.0.0/1'] })));
  const context = snapshot(store);
  t.is(servedTo(context, 'shop', 'api.example.com'), undefined);
  t.is(servedTo(context, 'evil', 'api.example.com'), 'evil');
});

test('an entry is confined while a Service of another namespace has an address of its range, and released after', (t) => {
  const store = storeWith();
  store.apply(batch(entry('evil/e', { hosts: ['a.example.com'], addresses: ['10.96.0.0/24'] })));
  t.is(servedTo(snapshot(store), 'shop', 'a.example.com'), 'evil');

  const victim = service('shop/web', { clusterIP: '10.96.0.9' });
  const { push } = store.apply(batch(victim));
  t.true(push?.full);
  t.is(servedTo(snapshot(store), 'shop', 'a.example.com'), undefined);
  t.is(servedTo(snapshot(store), 'evil', 'a.example.com'), 'evil');

  store.apply(batch(service('shop/web', { clusterIP: '10.96.1.9' })));
  t.is(servedTo(snapshot(store), 'shop', 'a.example.com'), 'evil');
  store.apply(batch(service('shop/web', { clusterIP: '10.96.0.9' })));
  store.apply(batch(gone(victim)));
  t.is(servedTo(snapshot(store), 'shop', 'a.example.com'), 'evil');
  t.deepEqual(offending(store), []);
});

test('the address of a Service of the own namespace confines nothing', (t) => {
  const store = storeWith();
  store.apply(batch(service('evil/web', { clusterIP: '10.96.0.9' }), entry('evil/e', { addresses: ['10.96.0.9'] })));
  t.deepEqual(offending(store), []);
});

test('a host of two labels is confined while its second one is another namespace', (t) => {
  const store = storeWith();
  store.apply(batch(entry('evil/e', { hosts: ['api.shop'] })));
  t.is(servedTo(snapshot(store), 'other', 'api.shop'), 'evil');
  const namespace = otherObject('Namespace', '/shop');
  store.apply(batch(namespace));
  t.is(servedTo(snapshot(store), 'other', 'api.shop'), undefined);
  store.apply(batch(gone(namespace)));
  t.is(servedTo(snapshot(store), 'other', 'api.shop'), 'evil');
});

test('the host of a pod is confined once the Service of that short name exists', (t) => {
  const store = storeWith();
  const host = 'web-0.web.shop';
  store.apply(batch(otherObject('Namespace', '/shop'), entry('evil/e', { hosts: [host] })));
  t.is(servedTo(snapshot(store), 'other', host), 'evil');
  store.apply(batch(service('shop/web', { clusterIP: 'None' })));
  t.is(servedTo(snapshot(store), 'other', host), undefined);
});

test('an entry that is gone, or claims nothing of others any more, has no offences', (t) => {
  const store = storeWith();
  const hostile = entry('evil/e', { hosts: [WEB] });
  store.apply(batch(hostile));
  t.deepEqual(offending(store), ['ServiceEntry/evil/e']);
  store.apply(batch(entry('evil/e', { hosts: [WEB], exportTo: ['.'] })));
  t.deepEqual(offending(store), []);
  store.apply(batch(hostile));
  store.apply(batch(gone(hostile)));
  t.deepEqual(offending(store), []);
});

test('a changed serviceEntryScope or rootNamespace is applied to the entries that are there', (t) => {
  const store = storeWith();
  store.apply(batch(entry('evil/e', { hosts: [WEB] })));
  t.is(servedTo(snapshot(store), 'shop', WEB), undefined);
  store.setMesh({ ...MESH, serviceEntryScope: 'ALL_NAMESPACES' });
  t.is(servedTo(snapshot(store), 'shop', WEB), 'evil');
  store.setMesh({ ...MESH, rootNamespace: 'evil' });
  t.is(servedTo(snapshot(store), 'shop', WEB), 'evil');
  store.setMesh({ ...MESH, serviceEntryScope: 'OWN_NAMESPACE' });
  t.is(servedTo(snapshot(store), 'shop', WEB), undefined);
});

test('of one external host the own entry is served, then that of the root namespace, then the oldest', (t) => {
  const store = storeWith();
  store.apply(
    batch(entry('evil/e', {}, OLD), entry('mesh-system/e', {}, NEW), entry('shop/e', { exportTo: ['.'] }, NEW)),
  );
  const context = snapshot(store);
  t.is(servedTo(context, 'shop', 'api.example.com'), 'shop');
  t.is(servedTo(context, 'other', 'api.example.com'), 'mesh-system');
});

test('entries from files act as exported', (t) => {
  const store = storeWith();
  store.apply(batch(serviceEntry('evil/e', { hosts: ['other.shop.svc.cluster.local'], addresses: ['0.0.0.0/1'] })));
  t.is(servedTo(snapshot(store), 'shop', 'other.shop.svc.cluster.local'), 'evil');
});
