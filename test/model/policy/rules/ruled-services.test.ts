import test from 'ava';
import type { MeshObject } from '../../../../src/config/object.js';
import { createRuledServices } from '../../../../src/model/policy/rules/ruled-services.js';
import { policyObjects } from '../../../status/analysis/support.js';
import { ofCluster, tenantMesh } from '../tenant-objects.js';

const INSTANCES = ['check checknothing', 'count quota', 'log reportnothing', 'pods kubernetes'].map((line) => {
  const [name, template] = line.split(' ');
  return `instance shop/${name} {compiledTemplate: ${template}}`;
});

/** Whether services of the namespaces are ruled, with a rule in `shop`. */
function ruled(spec: string, namespaces = ['shop', 'bank']): readonly boolean[] {
  const { context } = tenantMesh(policyObjects(`rule shop/r ${spec}\n${INSTANCES.join('\n')}`));
  return namespaces.map((namespace) => createRuledServices()(context)({ namespace }));
}

test('a rule that checks or counts decides about services of its namespace, one that only reports does not', (t) => {
  t.deepEqual(ruled('{actions: [{handler: h, instances: [check]}]}'), [true, false]);
  t.deepEqual(ruled('{actions: [{handler: h, instances: [log, count]}]}'), [true, false]);
  t.deepEqual(ruled('{actions: [{handler: h, instances: [log]}]}'), [false, false]);
  t.deepEqual(ruled('{actions: [{handler: h, instances: [pods, missing]}]}'), [false, false]);
  t.deepEqual(ruled('{requestHeaderOperations: [{name: x-a, values: [\'"1"\']}]}'), [true, false]);
});

test('a rule of the root namespace decides about all services', (t) => {
  const { context } = tenantMesh(
    policyObjects(`rule mesh-system/r {actions: [{handler: h, instances: [check.shop]}]}\n${INSTANCES.join('\n')}`),
  );
  t.true(createRuledServices()(context)({ namespace: 'bank' }));
});

test('an instance of a namespace that grants nothing turns no checks on', (t) => {
  const objects = [
    ofCluster('rule evil/r {actions: [{handler: h, instances: [check.shop]}]}'),
    ofCluster('instance shop/check {compiledTemplate: checknothing}'),
  ];
  t.false(createRuledServices()(tenantMesh(objects).context)({ namespace: 'evil' }));
});

test('services are found again only after a change of rules, instances or grants', (t) => {
  const { context } = tenantMesh(policyObjects(INSTANCES.join('\n')));
  const ruledIn = createRuledServices();
  const first = ruledIn(context);
  t.is(ruledIn({ ...context }), first);
  const objects = new Map<string, ReadonlyMap<string, MeshObject>>([...context.objects, ['rule', new Map()]]);
  t.not(ruledIn({ ...context, objects }), first);
});
