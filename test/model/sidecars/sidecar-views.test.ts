import test from 'ava';
import type { SidecarSpec } from '../../../src/config/networking/sidecar.js';
import type { MeshObject } from '../../../src/config/object.js';
import { buildProxy } from '../../generators/context-builder.js';
import {
  batch,
  endpoints,
  gone,
  otherObject,
  port,
  service,
  serviceEntry,
  snapshot,
  storeWith,
} from '../mesh-objects.js';

function sidecar(path: string, hosts: readonly string[], fields: Partial<SidecarSpec> = {}): MeshObject {
  const body: SidecarSpec = { ingress: [], egress: [{ bind: '', captureMode: 'DEFAULT', hosts }], ...fields };
  return { ...otherObject('Sidecar', path), body };
}

const proxyOf = (configNamespace: string, labels = {}, type: 'sidecar' | 'router' = 'sidecar') =>
  buildProxy({ configNamespace, type }, { labels });

function meshStore() {
  const store = storeWith();
  store.apply(
    batch(
      service('shop/web'),
      service('shop/db'),
      service('bank/api'),
      serviceEntry('ops/log', { hosts: ['log.example.com', 'x.example.org'] }),
      serviceEntry('ops/any', { hosts: ['*.example.net'] }),
    ),
  );
  return store;
}

/** The hosts that proxies of namespace shop see with these egress hosts. */
function seenWith(...hosts: readonly string[]): readonly string[] {
  const store = meshStore();
  store.apply(batch(sidecar('shop/scope', hosts)));
  const { services } = snapshot(store).trafficOf(proxyOf('shop')).services;
  return services.map(({ hostname }) => hostname.replace('.svc.cluster.local', '')).sort();
}

const ALL = ['*.example.net', 'api.bank', 'db.shop', 'log.example.com', 'web.shop', 'x.example.org'];

test('hosts of an egress listener choose services by namespace and host', (t) => {
  t.deepEqual(seenWith('*/*'), ALL);
  t.deepEqual(seenWith('./*'), ['db.shop', 'web.shop']);
  t.deepEqual(seenWith('~/*'), []);
  t.deepEqual(seenWith('bank/*', './web.shop.svc.cluster.local'), ['api.bank', 'web.shop']);
  t.deepEqual(seenWith('*/*.svc.cluster.local'), ['api.bank', 'db.shop', 'web.shop']);
  t.deepEqual(seenWith('ops/*.example.com'), ['log.example.com']);
  t.deepEqual(seenWith('*/LOG.example.com'), ['log.example.com']);
  t.deepEqual(seenWith('shop/log.example.com'), [], 'the namespace of the service counts');
});

test('a service with a wildcard host is in view where a host is that it stands for', (t) => {
  t.deepEqual(seenWith('*/api.example.net'), ['*.example.net']);
  t.deepEqual(seenWith('*/*.example.net'), ['*.example.net']);
  t.deepEqual(seenWith('*/example.net'), []);
});

test('only sidecars have a scope, and removing the Sidecar brings the former view back', (t) => {
  const store = meshStore();
  const before = snapshot(store);
  const scope = sidecar('shop/scope', ['./*']);
  store.apply(batch(scope));
  const with_ = snapshot(store, before);
  t.is(with_.trafficOf(proxyOf('shop', {}, 'router')), before.trafficOf(proxyOf('shop')));
  t.is(with_.trafficOf(proxyOf('bank')), before.trafficOf(proxyOf('bank')));
  t.not(with_.trafficOf(proxyOf('shop')).id, before.trafficOf(proxyOf('shop')).id);
  store.apply(batch(gone(scope)));
  t.is(snapshot(store, with_).trafficOf(proxyOf('shop')), before.trafficOf(proxyOf('shop')));
});

test('Sidecars that leave the same services share one view, and one that leaves all shares that of the namespace', (t) => {
  const store = meshStore();
  store.apply(
    batch(
      sidecar('shop/a', ['./*'], { workloadSelector: { labels: { app: 'a' } } }),
      sidecar('shop/b', ['shop/*', '~/*'], { workloadSelector: { labels: { app: 'b' } } }),
      sidecar('bank/c', ['shop/*']),
      sidecar('shop/d', ['*/*'], { workloadSelector: { labels: { app: 'd' } } }),
    ),
  );
  const context = snapshot(store);
  const view = context.trafficOf(proxyOf('shop', { app: 'a' }));
  t.is(context.trafficOf(proxyOf('shop', { app: 'b' })), view);
  t.is(context.trafficOf(proxyOf('bank')), view);
  t.is(context.trafficOf(proxyOf('shop', { app: 'd' })), context.trafficOf(proxyOf('elsewhere')));
});

test('a change of a service that a Sidecar leaves out leaves the view as it is', (t) => {
  const store = meshStore();
  store.apply(batch(sidecar('shop/scope', ['./*'])));
  const first = snapshot(store);
  const view = first.trafficOf(proxyOf('shop'));
  store.apply(batch(service('bank/api', { ports: [port(81)] }), endpoints('bank/api', ['10.0.0.1'])));
  const second = snapshot(store, first);
  t.is(second.trafficOf(proxyOf('shop')), view);
  store.apply(batch(service('shop/web', { ports: [port(81)] })));
  t.not(snapshot(store, second).trafficOf(proxyOf('shop')).id, view.id);
});

test('the policy of a Sidecar for unknown destinations replaces that of the mesh config', (t) => {
  const unknownWith = (outboundTrafficPolicy: SidecarSpec['outboundTrafficPolicy']) => {
    const store = meshStore();
    const scope = outboundTrafficPolicy === undefined ? {} : { outboundTrafficPolicy };
    store.apply(batch(sidecar('shop/scope', ['bank/*'], scope)));
    return snapshot(store).trafficOf(proxyOf('shop')).unknown;
  };
  t.deepEqual(unknownWith(undefined).connections, { type: 'passThrough' });
  t.is(unknownWith(undefined).id, '');
  t.is(unknownWith({ mode: 'ALLOW_ANY' }).id, '');
  t.deepEqual(unknownWith({ mode: 'REGISTRY_ONLY' }).connections, { type: 'close' });
  const egressProxy = { host: 'web.shop.svc.cluster.local', subset: '', port: { number: 80 } };
  t.like(unknownWith({ mode: 'ALLOW_ANY', egressProxy }).connections, {
    type: 'forward',
    destinations: [{ hostname: 'web.shop.svc.cluster.local', port: 80 }],
  });
  const missing = { ...egressProxy, port: { number: 99 } };
  t.deepEqual(unknownWith({ mode: 'ALLOW_ANY', egressProxy: missing }).connections, { type: 'close' });
});
