import test from 'ava';
import type { PushContext } from '../../../src/model/push-context.js';
import { batch, gone, pod, service, slice, snapshot, storeWith } from '../mesh-objects.js';

const APP = { labels: { app: 'web' } };
const SELECTED = { selector: { app: 'web' } };

function addressesOf(context: PushContext, name: string): readonly string[] {
  const shards = context.endpoints.get(`${name}.shop.svc.cluster.local`)?.shards.values() ?? [];
  return [...shards].flat().map(({ address }) => address);
}

const listing = (name: string, owner: string, ...ips: readonly string[]) =>
  slice(`shop/${name}`, owner, { endpoints: ips.map((ip) => ({ addresses: [ip] })) });

test('a changed slice replaces its own endpoints of the service, and other slices stay', (t) => {
  const store = storeWith({ useEndpointSlice: true });
  store.apply(batch(service('shop/web'), listing('web-1', 'web', '10.0.0.1'), listing('web-2', 'web', '10.0.0.2')));
  store.apply(batch(listing('web-1', 'web', '10.0.0.3')));
  t.deepEqual(addressesOf(snapshot(store), 'web'), ['10.0.0.2', '10.0.0.3']);
});

test('a slice that moves to another service leaves the previous one', (t) => {
  const store = storeWith({ useEndpointSlice: true });
  store.apply(batch(service('shop/web'), service('shop/cart'), listing('one', 'web', '10.0.0.1')));
  store.apply(batch(listing('one', 'cart', '10.0.0.1')));
  t.deepEqual(addressesOf(snapshot(store), 'web'), []);
  t.deepEqual(addressesOf(snapshot(store), 'cart'), ['10.0.0.1']);
});

test('a service whose last slice goes is served by the pods that it selects, until there is one again', (t) => {
  const store = storeWith({ useEndpointSlice: true });
  const only = listing('one', 'web', '10.0.0.1');
  store.apply(batch(service('shop/web', SELECTED), pod('shop/web-1', '10.0.0.9', APP), only));
  t.deepEqual(addressesOf(snapshot(store), 'web'), ['10.0.0.1']);
  store.apply(batch(gone(only)));
  t.deepEqual(addressesOf(snapshot(store), 'web'), ['10.0.0.9']);
  store.apply(batch(listing('two', 'web', '10.0.0.2')));
  t.deepEqual(addressesOf(snapshot(store), 'web'), ['10.0.0.2']);
  store.apply(batch(pod('shop/web-2', '10.0.0.8', APP)));
  t.deepEqual(addressesOf(snapshot(store), 'web'), ['10.0.0.2']);
});
