import test from 'ava';
import { keyOf, type MeshObject } from '../../../../src/config/object.js';
import { resolvePlanBindings } from '../../../../src/model/policy/plans/plan-bindings.js';
import { contextOf } from '../../mesh-objects.js';
import { namespaceThatGrants, ofCluster, TENANTS, tenantMesh } from '../tenant-objects.js';

const GOLD = ofCluster('Plan shop/gold {services: [{name: web}]}');
const WEB = { hostname: 'web.shop.svc.cluster.local', namespace: 'shop' };

function consumer(name: string, plan = '{name: gold, namespace: shop}', created?: string): MeshObject {
  const object = ofCluster(`Consumer ${name} {plan: ${plan}}`);
  if (created === undefined) return object;
  return { ...object, metadata: { ...object.metadata, creationTimestamp: created } };
}

function bindings(...objects: readonly MeshObject[]) {
  return resolvePlanBindings(contextOf([...TENANTS, ...objects]));
}

test('a plan applies to the services that it names, in its own namespace without a grant', (t) => {
  const { plansOf } = bindings(GOLD, ofCluster('Plan shop/all {services: [{service: "*"}]}'));
  t.deepEqual(plansOf(WEB).map(keyOf), ['Plan/shop/all', 'Plan/shop/gold']);
  t.deepEqual(plansOf({ hostname: 'web.bank.svc.cluster.local', namespace: 'bank' }), []);
});

test('a plan acts on services of a namespace that grants it', (t) => {
  const plan = ofCluster('Plan evil/p {services: [{name: web, namespace: shop}]}');
  t.deepEqual(bindings(plan).plansOf(WEB), []);
  t.deepEqual(bindings(plan, namespaceThatGrants('shop', 'evil')).plansOf(WEB).map(keyOf), ['Plan/evil/p']);
});

test('a Consumer needs the grant of the namespace of its plan, because it gives access to the services there', (t) => {
  const stranger = consumer('evil/mine');
  const { consumers, consumersOf } = bindings(GOLD, stranger);
  t.deepEqual(consumersOf(keyOf(GOLD)), []);
  t.like(consumers, [{ isGranted: false, plan: undefined, planKey: 'Plan/shop/gold' }]);
  const granted = bindings(GOLD, stranger, namespaceThatGrants('shop', 'evil'));
  t.deepEqual(granted.consumersOf(keyOf(GOLD)).map(keyOf), ['Consumer/evil/mine']);
});

test('a Consumer of a tenant gets no plan of the root namespace, although bindings may use its specs', (t) => {
  const plan = ofCluster('Plan mesh-system/all {services: [{service: "*"}]}');
  const stranger = consumer('evil/mine', '{name: all, namespace: mesh-system}');
  const { context } = tenantMesh([plan, stranger]);
  t.deepEqual(resolvePlanBindings(context).consumersOf(keyOf(plan)), []);
});

test('the consumers of a plan come by age, those without an age last, so that a younger one cannot take a key', (t) => {
  const late = consumer('shop/a', undefined, '2026-02-01T00:00:00Z');
  const early = consumer('shop/b', undefined, '2026-01-01T00:00:00Z');
  const ageless = consumer('shop/0a');
  t.deepEqual(bindings(GOLD, ageless, late, early).consumersOf(keyOf(GOLD)).map(keyOf), [
    'Consumer/shop/b',
    'Consumer/shop/a',
    'Consumer/shop/0a',
  ]);
});

test('a Consumer of a plan that does not exist belongs to no plan, until it exists', (t) => {
  const early = consumer('shop/a', '{name: silver}');
  t.like(bindings(early).consumers, [{ isGranted: true, plan: undefined }]);
  const silver = ofCluster('Plan shop/silver {services: [{name: web}]}');
  t.deepEqual(bindings(early, silver).consumersOf(keyOf(silver)).map(keyOf), ['Consumer/shop/a']);
});

test('a plan is a binding that names its consumers, for analysis and status', (t) => {
  const { bindings: resolved } = bindings(GOLD, consumer('shop/a'));
  t.deepEqual(
    resolved.map(({ binding, references }) => [keyOf(binding), references.map(({ key }) => key)]),
    [['Plan/shop/gold', ['Consumer/shop/a']]],
  );
});
