import test from 'ava';
import type { MeshObject } from '../../../src/config/object.js';
import { createServicePolicies } from '../../../src/model/policy/service-policies.js';
import type { PushContext } from '../../../src/model/push-context.js';
import type { MeshStore } from '../../../src/model/store/mesh-store.js';
import { readObject } from '../../config/support/read-yaml.js';
import { batch, gone, service, snapshot, storeWith } from '../mesh-objects.js';

const WEB = 'web.shop.svc.cluster.local';
const CART = 'cart.shop.svc.cluster.local';

function object(kind: string, name: string, spec: string, labels = '{}'): MeshObject {
  const metadata = `{name: ${name}, namespace: shop, labels: ${labels}}`;
  return readObject(`{apiVersion: config.mesh.internal/v1alpha2, kind: ${kind}, metadata: ${metadata}, spec: ${spec}}`);
}

const quotaSpec = (name: string, quota: string, labels?: string): MeshObject =>
  object('QuotaSpec', name, `{rules: [{quotas: [{quota: ${quota}}]}]}`, labels);
const binding = (name: string, target: string, spec: string): MeshObject =>
  object('QuotaSpecBinding', name, `{services: [{service: "${target}"}], quotaSpecs: [{name: ${spec}}]}`);

/** A mesh that is changed step by step. */
function mesh(...objects: readonly MeshObject[]): {
  readonly store: MeshStore;
  next(...changes: readonly MeshObject[]): PushContext;
} {
  const store = storeWith();
  store.apply(batch(service('shop/web'), service('shop/cart'), ...objects));
  let context: PushContext | undefined;
  return {
    store,
    next: (...changes) => {
      store.apply(batch(...changes));
      context = snapshot(store, context);
      return context;
    },
  };
}

const quotasOf = (
  config: { readonly quotaSpec: readonly { readonly rules: readonly unknown[] }[] } | undefined,
): unknown => config?.quotaSpec.map(({ rules }) => rules[0]);
const charge = (quota: string): unknown => ({ match: [], quotas: [{ quota, charge: 1 }] });

test('a service has the specs that are bound to it; a host of no service has none', (t) => {
  const { next } = mesh(quotaSpec('a', 'a'), binding('b', WEB, 'a'));
  const policies = createServicePolicies()(next());
  t.deepEqual(quotasOf(policies.find(WEB)), [charge('a')]);
  t.deepEqual(policies.find(CART)?.quotaSpec, []);
  t.is(policies.find('nowhere.example.com'), undefined);
});

test('an unchanged service keeps its very object when other policies and services change', (t) => {
  const { next } = mesh(quotaSpec('a', 'a'), quotaSpec('b', 'b'), binding('a', WEB, 'a'), binding('b', CART, 'b'));
  const policiesOf = createServicePolicies();
  const first = policiesOf(next());
  const web = first.find(WEB);
  const cart = first.find(CART);
  const second = policiesOf(next(quotaSpec('b', 'other'), service('shop/late')));
  t.is(second.find(WEB), web);
  t.not(second.find(CART), cart);
  t.deepEqual(quotasOf(second.find(CART)), [charge('other')]);
});

test('a service that was not asked about for a while keeps its object', (t) => {
  const { next } = mesh(quotaSpec('a', 'a'), quotaSpec('b', 'b'), binding('a', WEB, 'a'), binding('b', CART, 'b'));
  const policiesOf = createServicePolicies();
  const web = policiesOf(next()).find(WEB);
  policiesOf(next(quotaSpec('b', 'c')));
  policiesOf(next(quotaSpec('b', 'd')));
  t.is(policiesOf(next(quotaSpec('b', 'e'))).find(WEB), web);
});

test('bindings are resolved again only when one of the four kinds changed', (t) => {
  const { next } = mesh(quotaSpec('a', 'a'), binding('a', WEB, 'a'));
  const policiesOf = createServicePolicies();
  const { bindings } = policiesOf(next());
  t.is(policiesOf(next(service('shop/late'))).bindings, bindings);
  t.not(policiesOf(next(binding('b', CART, 'a'))).bindings, bindings);
});

test('metadata that is written to a spec changes nothing', (t) => {
  const { next } = mesh(quotaSpec('a', 'a'), binding('a', WEB, 'a'));
  const policiesOf = createServicePolicies();
  const web = policiesOf(next()).find(WEB);
  t.is(policiesOf(next(quotaSpec('a', 'a', '{touched: "yes"}'))).find(WEB), web);
});

test('services with the same specs share the arrays, before and after a change of others', (t) => {
  const { next } = mesh(quotaSpec('a', 'a'), quotaSpec('b', 'b'), binding('a', '*', 'a'));
  const policiesOf = createServicePolicies();
  const first = policiesOf(next());
  const array = first.find(WEB)?.quotaSpec;
  t.is(first.find(CART)?.quotaSpec, array);
  const second = policiesOf(next(quotaSpec('b', 'other'), service('shop/late')));
  t.is(second.find('late.shop.svc.cluster.local')?.quotaSpec, array);
});

test('a binding or a spec that is taken away is in force no more', (t) => {
  const policiesOf = createServicePolicies();
  const bound = binding('a', WEB, 'a');
  const { next, store } = mesh(quotaSpec('a', 'a'), bound);
  t.is(policiesOf(next()).find(WEB)?.quotaSpec.length, 1);
  store.apply({ cluster: 'east', changes: [gone(bound)] });
  t.is(policiesOf(next()).find(WEB)?.quotaSpec.length, 0);
});
