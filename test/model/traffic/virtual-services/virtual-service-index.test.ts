import test from 'ava';
import type { MeshObject } from '../../../../src/config/object.js';
import type { PushContext } from '../../../../src/model/push-context.js';
import { readObject } from '../../../config/support/read-yaml.js';
import { buildProxy } from '../../../generators/context-builder.js';
import { collectGarbage } from '../../../support/collect-garbage.js';
import { eventually } from '../../../support/eventually.js';
import { batch, gone, service, serviceEntry, snapshot, storeWith } from '../../mesh-objects.js';

const WEB = 'web.shop.svc.cluster.local';
const SERVICES = [service('shop/web'), service('shop/db'), service('bank/pay')];

/** An object of a cluster, which redirects requests to a path that names it. */
function redirecting(path: string, spec: object, created = '2026-01-01T00:00:00Z'): MeshObject {
  const [namespace, name] = path.split('/');
  const http = [{ redirect: { uri: `/${path}` } }];
  const object = readObject(
    JSON.stringify({
      apiVersion: 'networking.mesh.internal/v1beta1',
      kind: 'VirtualService',
      metadata: { name, namespace, creationTimestamp: created },
      spec: { http, ...spec },
    }),
  );
  return { ...object, origin: 'cluster' };
}

function contextWith(...objects: readonly MeshObject[]): PushContext {
  const store = storeWith();
  store.apply(batch(...SERVICES, ...objects));
  return snapshot(store);
}

/** Where callers of a namespace are redirected to; `service` if they reach it. */
function routed(context: PushContext, namespace: string, hostname = WEB): string {
  const proxy = buildProxy({ configNamespace: namespace });
  const view = context.trafficOf(proxy);
  const inputs = { caller: view.callerOf(proxy), timeoutMs: 0 };
  const found = view.services.services.find((each) => each.hostname === hostname);
  const [port] = found?.ports ?? [];
  const host =
    found === undefined || port === undefined
      ? view.otherHostsAt(80, inputs).find((each) => each.hostname === hostname)?.virtualHost
      : view.virtualHostOf(found, port, inputs);
  const action = host?.routes[0]?.action;
  if (action?.type === 'redirect') return action.path ?? '';
  return action === undefined ? 'nothing' : 'service';
}

test('an object for a host of its own namespace routes the callers of all namespaces', (t) => {
  const context = contextWith(redirecting('shop/it', { hosts: ['web'] }));
  t.is(routed(context, 'shop'), '/shop/it');
  t.is(routed(context, 'bank'), '/shop/it');
});

test('an object for a host of another namespace routes the callers of its own namespace alone', (t) => {
  const context = contextWith(redirecting('bank/it', { hosts: [WEB] }));
  t.is(routed(context, 'bank'), '/bank/it');
  t.is(routed(context, 'shop'), 'service');
  t.is(routed(context, 'elsewhere'), 'service');
});

test('a wildcard captures no host of another namespace', (t) => {
  const context = contextWith(redirecting('bank/it', { hosts: ['*.svc.cluster.local'] }));
  t.is(routed(context, 'elsewhere'), 'service');
  t.is(routed(context, 'elsewhere', 'pay.bank.svc.cluster.local'), '/bank/it');
});

test('an object captures no ServiceEntry of another namespace, and no free host in the domain of the cluster', (t) => {
  const api = serviceEntry('shop/api', {
    hosts: ['api.example.com'],
    ports: [{ number: 80, name: 'http', protocol: 'HTTP' }],
  });
  const context = contextWith(
    api,
    redirecting('bank/it', { hosts: ['api.example.com', 'free.shop.svc.cluster.local', 'free.example.com', '*.org'] }),
  );
  t.is(routed(context, 'elsewhere', 'api.example.com'), 'service');
  t.is(routed(context, 'elsewhere', 'free.shop.svc.cluster.local'), 'nothing');
  t.is(routed(context, 'elsewhere', '*.org'), 'nothing');
  t.is(routed(context, 'elsewhere', 'free.example.com'), '/bank/it');
  t.is(routed(context, 'bank', 'free.shop.svc.cluster.local'), '/bank/it');
});

test('the root namespace, and virtualServiceScope ALL_NAMESPACES, route all callers', (t) => {
  t.is(routed(contextWith(redirecting('mesh-system/it', { hosts: [WEB] })), 'elsewhere'), '/mesh-system/it');
  const store = storeWith();
  store.apply(batch(...SERVICES, redirecting('bank/it', { hosts: [WEB] })));
  const { mesh } = snapshot(store);
  store.setMesh({ ...mesh, virtualServiceScope: 'ALL_NAMESPACES' });
  t.is(routed(snapshot(store), 'elsewhere'), '/bank/it');
});

test('the most specific host has precedence, then the oldest object', (t) => {
  const wildcard = redirecting('shop/wide', { hosts: ['*.shop.svc.cluster.local'] }, '2020-01-01T00:00:00Z');
  const old = redirecting('shop/old', { hosts: ['web'] }, '2025-01-01T00:00:00Z');
  const young = redirecting('shop/young', { hosts: ['web'] });
  t.is(routed(contextWith(wildcard, old, young), 'bank'), '/shop/old');
  t.is(routed(contextWith(wildcard), 'bank'), '/shop/wide');
});

test('exportTo and defaultVirtualServiceExportTo limit the callers', (t) => {
  const context = contextWith(redirecting('shop/it', { hosts: ['web'], exportTo: ['.', 'bank'] }));
  t.deepEqual(
    ['shop', 'bank', 'elsewhere'].map((namespace) => routed(context, namespace)),
    ['/shop/it', '/shop/it', 'service'],
  );
  const store = storeWith();
  store.apply(batch(...SERVICES, redirecting('shop/it', { hosts: ['web'] })));
  store.setMesh({ ...snapshot(store).mesh, defaultVirtualServiceExportTo: ['.'] });
  t.is(routed(snapshot(store), 'bank'), 'service');
});

test('a change of one object keeps the virtual hosts of all other services, and a removal brings the old ones back', (t) => {
  const store = storeWith();
  store.apply(batch(...SERVICES, redirecting('shop/db', { hosts: ['db'] })));
  const hostsOf = (context: PushContext) => {
    const proxy = buildProxy({ configNamespace: 'bank' });
    const view = context.trafficOf(proxy);
    const inputs = { caller: view.callerOf(proxy), timeoutMs: 0 };
    return view.services.services.map((each) => view.virtualHostOf(each, each.ports[0] as never, inputs));
  };
  const first = snapshot(store);
  const it = redirecting('shop/it', { hosts: ['web'] });
  store.apply(batch(it));
  const second = snapshot(store, first);
  const [before, after] = [hostsOf(first), hostsOf(second)];
  t.is(before.filter((host, index) => host !== after[index]).length, 1);
  store.apply(batch(gone(it)));
  const third = snapshot(store, second);
  t.deepEqual(hostsOf(third), before);
  t.true(hostsOf(third).every((host, index) => host === before[index]));
});

test('routes of requests do not change the id that listeners depend on, and routes of connections do', (t) => {
  const store = storeWith();
  let context: PushContext | undefined;
  const idsAfter = (...objects: readonly MeshObject[]) => {
    store.apply(batch(...objects));
    context = snapshot(store, context);
    const view = context.trafficOf(buildProxy({ configNamespace: 'bank' }));
    return { all: view.id, connections: view.connectionsId };
  };
  store.apply(batch(...SERVICES));
  const plain = idsAfter();
  const requests = idsAfter(redirecting('shop/it', { hosts: ['web'] }));
  t.not(requests.all, plain.all);
  t.is(requests.connections, plain.connections);

  const tcp = [{ route: [{ destination: { host: WEB } }] }];
  const connections = idsAfter(redirecting('shop/db', { hosts: ['db'], tcp }));
  t.not(connections.connections, requests.connections);
  const both = idsAfter(redirecting('shop/it', { hosts: ['web', 'web.other'] }));
  t.not(both.all, connections.all);
  t.is(both.connections, connections.connections);
  t.not(idsAfter(redirecting('shop/db', { hosts: ['db', 'web'], tcp })).connections, both.connections);
});

test('views of a mesh whose routes have changed since are collected', async (t) => {
  const store = storeWith();
  store.apply(batch(...SERVICES));
  const viewAfter = (change: number) => {
    store.apply(batch(redirecting('shop/it', { hosts: ['web'], http: [{ redirect: { uri: `/${change}` } }] })));
    const context = snapshot(store);
    t.is(routed(context, 'bank'), `/${change}`);
    return new WeakRef(context.trafficOf(buildProxy({ configNamespace: 'bank' })));
  };
  const views = [1, 2, 3, 4, 5, 6].map(viewAfter);
  await eventually('only the latest are in memory', () => {
    collectGarbage();
    return views.slice(0, -2).every((view) => view.deref() === undefined);
  });
  // The store is alive, and with it all that it keeps.
  t.truthy(viewAfter(7).deref());
});
