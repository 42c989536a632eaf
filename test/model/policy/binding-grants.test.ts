import test from 'ava';
import { keyOf, type MeshObject } from '../../../src/config/object.js';
import { grantCommand } from '../../../src/model/policy/binding-grants.js';
import { type PolicyBindings, resolvePolicyBindings } from '../../../src/model/policy/policy-bindings.js';
import { MESH } from '../../generators/context-builder.js';
import { policyObject } from '../../status/analysis/support.js';
import { batch, contextOf, gone, snapshot } from '../mesh-objects.js';
import { namespaceThatGrants, ofCluster, TENANTS, tenantMesh } from './tenant-objects.js';

const SPEC = 'QuotaSpec evil/none {rules: [{quotas: [{quota: q}]}]}';
const BINDING = 'QuotaSpecBinding evil/b {services: [{service: "*"}], quotaSpecs: [{name: none}]}';
const HOSTILE: readonly MeshObject[] = [ofCluster(SPEC), ofCluster(BINDING)];

/** The namespaces whose service has a spec. */
function boundNamespaces(bindings: PolicyBindings): readonly string[] {
  return ['shop', 'bank', 'evil'].filter(
    (namespace) => bindings.quotaSpecsOf({ hostname: `web.${namespace}.svc.cluster.local`, namespace }).length > 0,
  );
}

const bound = (objects: readonly MeshObject[], mesh: Parameters<typeof tenantMesh>[1] = {}): readonly string[] =>
  boundNamespaces(resolvePolicyBindings(tenantMesh(objects, mesh).context));

test('a binding of * from a cluster acts on its own namespace alone', (t) => {
  t.deepEqual(bound(HOSTILE), ['evil']);
});

for (const services of [
  '{service: "*web*"}',
  '{name: web, namespace: shop}',
  '{service: web.shop.svc.cluster.local}',
]) {
  test(`a binding of ${services} from a cluster does not act on another namespace`, (t) => {
    const binding = BINDING.replace('{service: "*"}', services);
    t.false(bound([ofCluster(SPEC), ofCluster(binding)]).includes('shop'));
    t.true(bound([ofCluster(SPEC), ofCluster(binding), namespaceThatGrants('shop', 'evil')]).includes('shop'));
  });
}

const GRANTS: readonly (readonly [annotation: string, acts: boolean])[] = [
  ['evil', true],
  ['*', true],
  ['bank, evil ,', true],
  ['bank', false],
  ['evil2,ev', false],
  ['', false],
];
for (const [annotation, acts] of GRANTS) {
  test(`bindings-from ${JSON.stringify(annotation)} ${acts ? 'lets' : 'does not let'} bindings of evil act`, (t) => {
    const found = bound([...HOSTILE, namespaceThatGrants('shop', annotation)]);
    t.deepEqual(found, acts ? ['shop', 'evil'] : ['evil']);
  });
}

test('a namespace cannot grant for another', (t) => {
  t.deepEqual(bound([...HOSTILE, namespaceThatGrants('evil', '*')]), ['evil']);
});

test('bindings of the root namespace act everywhere', (t) => {
  const objects = [SPEC, BINDING].map((line) => ofCluster(line.replace(' evil/', ' mesh-system/')));
  t.deepEqual(bound(objects), ['shop', 'bank', 'evil']);
  t.deepEqual(bound(objects, { rootNamespace: 'other' }), []);
});

test('bindings from files act everywhere, as before', (t) => {
  t.deepEqual(bound([policyObject(SPEC), policyObject(BINDING)]), ['shop', 'bank', 'evil']);
});

test('policyBindingScope ALL_NAMESPACES lets all bindings act everywhere', (t) => {
  const policy = { ...MESH.policy, policyBindingScope: 'ALL_NAMESPACES' as const };
  t.deepEqual(bound(HOSTILE, { policy }), ['shop', 'bank', 'evil']);
});

test('the namespace of a ServiceEntry decides for its hosts, whatever they are called', (t) => {
  const entry = policyObject('ServiceEntry shop/api {hosts: [api.example.com], ports: [{number: 80, name: http}]}');
  const { context } = tenantMesh([...HOSTILE, entry]);
  const [service] = context.services.filter(({ hostname }) => hostname === 'api.example.com');
  t.deepEqual(resolvePolicyBindings(context).quotaSpecsOf(service ?? t.fail('it is no service')), []);
});

test('a spec of another namespace is used with its grant alone, or from the root namespace', (t) => {
  const binding = ofCluster(
    'QuotaSpecBinding evil/b {services: [{name: web}], quotaSpecs: [{name: none, namespace: shop}, {name: all, namespace: mesh-system}]}',
  );
  const specs = [SPEC.replace(' evil/', ' shop/'), SPEC.replace(' evil/none', ' mesh-system/all')].map(ofCluster);
  const used = (...more: readonly MeshObject[]): readonly string[] =>
    resolvePolicyBindings(tenantMesh([binding, ...specs, ...more]).context)
      .quotaSpecsOf({ hostname: 'web.evil.svc.cluster.local', namespace: 'evil' })
      .map(keyOf);
  t.deepEqual(used(), ['QuotaSpec/mesh-system/all']);
  t.deepEqual(used(namespaceThatGrants('shop', 'evil')), ['QuotaSpec/mesh-system/all', 'QuotaSpec/shop/none']);
});

test('a changed annotation is pushed to all proxies and changes the bound specs; other changes of a Namespace are not pushed', (t) => {
  const { store, context } = tenantMesh([...HOSTILE, namespaceThatGrants('shop'), namespaceThatGrants('bank')]);
  const before = context.bindingGrants;
  t.false(store.apply(batch(namespaceThatGrants('shop'))).push?.full);
  t.is(snapshot(store).bindingGrants, before);

  const granted = namespaceThatGrants('shop', 'evil');
  const { push } = store.apply(batch(granted));
  t.true(push?.full);
  t.deepEqual([...(push?.changed ?? [])], ['Namespace//shop']);
  t.deepEqual(boundNamespaces(resolvePolicyBindings(snapshot(store))), ['shop', 'evil']);

  t.true(store.apply(batch(gone(granted))).push?.full);
  t.deepEqual(boundNamespaces(resolvePolicyBindings(snapshot(store))), ['evil']);
});

test('a mesh without such annotations has the same grants from snapshot to snapshot', (t) => {
  const { store, context } = tenantMesh(HOSTILE);
  store.apply(batch(...TENANTS.slice(1).map((object) => gone(object))));
  t.is(snapshot(store).bindingGrants, context.bindingGrants);
});

test('the command keeps the existing grants', (t) => {
  const { bindingGrants } = contextOf([namespaceThatGrants('shop', 'bank')]);
  t.is(
    grantCommand(bindingGrants, 'shop', 'evil'),
    'kubectl annotate --overwrite namespace shop policy.mesh.internal/bindings-from=bank,evil',
  );
});

test('bindings of * from a thousand namespaces are not looked at for services of another', (t) => {
  const objects = Array.from({ length: 1000 }, (_, index) =>
    [SPEC, BINDING].map((line) => ofCluster(line.replace(' evil/', ` tenant-${index}/`))),
  ).flat();
  t.deepEqual(bound(objects), []);
});
