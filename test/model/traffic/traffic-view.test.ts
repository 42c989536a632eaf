import test from 'ava';
import { ANY_CALLER } from '../../../src/model/traffic/virtual-services/caller.js';
import { buildProxy } from '../../generators/context-builder.js';
import { batch, endpoints, service, serviceEntry, snapshot, storeWith } from '../mesh-objects.js';

const WEB = 'web.shop.svc.cluster.local';
const INPUTS = { caller: ANY_CALLER, timeoutMs: 0 };

const proxyOf = (configNamespace: string, clusterId?: string) =>
  buildProxy({ configNamespace }, clusterId === undefined ? {} : { clusterId });

function meshStore() {
  const store = storeWith();
  store.apply(batch(service('shop/web'), service('shop/db'), serviceEntry('bank/api', { exportTo: ['.'] })));
  return store;
}

test('proxies of namespaces that see the same things share one view', (t) => {
  const context = snapshot(meshStore());
  t.is(context.trafficOf(proxyOf('shop')), context.trafficOf(proxyOf('elsewhere')));
  t.not(context.trafficOf(proxyOf('bank')), context.trafficOf(proxyOf('shop')));
  t.not(context.trafficOf(proxyOf('bank')).id, context.trafficOf(proxyOf('shop')).id);
});

test('a view, its clusters and its routes stay the same objects while only endpoints change', (t) => {
  const store = meshStore();
  const first = snapshot(store);
  store.apply(batch(endpoints('shop/web', ['10.0.0.1'])));
  const second = snapshot(store, first);
  t.is(second.trafficOf(proxyOf('shop')), first.trafficOf(proxyOf('shop')));
});

test('a changed service makes a new view, in which the clusters and routes of other services stay the same', (t) => {
  const store = meshStore();
  const first = snapshot(store);
  const before = first.trafficOf(proxyOf('shop'));
  store.apply(batch(service('shop/db', { clusterIP: '10.96.7.7' })));
  const second = snapshot(store, first);
  const after = second.trafficOf(proxyOf('shop'));
  t.not(after, before);
  t.not(after.id, before.id);
  const web = second.servicesByHost.get(WEB);
  const [port] = web?.ports ?? [];
  if (web === undefined || port === undefined) throw new Error('no service');
  t.is(after.clustersOf(web), before.clustersOf(web));
  t.is(after.virtualHostOf(web, port, INPUTS), before.virtualHostOf(web, port, INPUTS));
  t.is(after.connectionsOf(web, port, ANY_CALLER), before.connectionsOf(web, port, ANY_CALLER));
});

test('clusters with other addresses of a service have views of their own, and share the view of any cluster', (t) => {
  const store = meshStore();
  store.apply({
    cluster: 'west',
    changes: [{ type: 'upsert', object: service('shop/web', { clusterIP: '10.97.0.9' }) }],
  });
  const context = snapshot(store);
  const [own, west] = [context.trafficOf(proxyOf('shop', 'east')), context.trafficOf(proxyOf('shop', 'west'))];
  t.not(own, west);
  t.is(own.inAnyCluster, own);
  t.is(west.inAnyCluster, own);
});
