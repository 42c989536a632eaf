import test from 'ava';
import type { MeshObject } from '../../../../src/config/object.js';
import { keyOf } from '../../../../src/config/object.js';
import { createResolvedRules } from '../../../../src/model/policy/rules/resolved-rules.js';
import { policyObjects } from '../../../status/analysis/support.js';
import { tenantMesh } from '../tenant-objects.js';

const RULES = policyObjects(`rule shop/r {actions: [{handler: refuse, instances: [any]}]}
  handler shop/refuse {compiledAdapter: denier}
  instance shop/any {compiledTemplate: checknothing}`);
const { context } = tenantMesh(RULES);

/** The snapshot with another version of one object. */
function withObject(object: MeshObject) {
  const table = new Map([...(context.objects.get(object.kind) ?? []), [keyOf(object), object] as const]);
  return { ...context, objects: new Map([...context.objects, [object.kind, table]]) };
}

function changed(kind: string, change: Partial<MeshObject>): MeshObject {
  const object = RULES.find((each) => each.kind === kind) as MeshObject;
  return { ...object, ...change };
}

test('rules stay the same object while only metadata changes', (t) => {
  const resolve = createResolvedRules('legacy');
  const rules = resolve(context);
  t.is(resolve({ ...context }), rules);
  const [rule] = RULES as readonly [MeshObject];
  const metadata = { ...rule.metadata, resourceVersion: '9', labels: { team: 'a' } };
  t.is(resolve(withObject({ ...rule, metadata, body: structuredClone(rule.body) })), rules);
});

test('a changed object makes other rules, in which the others keep their identity', (t) => {
  const resolve = createResolvedRules('legacy');
  const [before] = resolve(context).rules;
  const next = resolve(withObject(changed('handler', { body: { compiledAdapter: 'noop', params: {} } })));
  const [after] = next.rules;
  t.is(after?.actions[0]?.handler.spec.compiledAdapter, 'noop');
  t.is(after?.object, before?.object);
  t.is(after?.actions[0]?.instances[0]?.object, before?.actions[0]?.instances[0]?.object);
});

test('an object from elsewhere with the same content is a change', (t) => {
  const resolve = createResolvedRules('legacy');
  const rules = resolve(context);
  t.not(resolve(withObject(changed('rule', { origin: 'cluster' }))), rules);
});
