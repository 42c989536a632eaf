import test from 'ava';
import type { MeshObject } from '../../../../src/config/object.js';
import { compileRules, type RuleSet } from '../../../../src/model/policy/rules/rule-set.js';
import { policyObjects } from '../../../status/analysis/support.js';
import { ACCOUNTS } from '../../../support/adapter-descriptors.js';
import { namespaceThatGrants, ofCluster, tenantMesh } from '../tenant-objects.js';

const setOf = (objects: readonly MeshObject[]): RuleSet => compileRules(tenantMesh(objects).context, 'legacy');

/** Each rule as `key: handler(instances) …`. */
function shown({ rules }: RuleSet): readonly string[] {
  return rules.map(({ key, namespace = 'all', actions }) => {
    const calls = actions.map(
      ({ handler, instances }) => `${handler.key}(${instances.map((each) => each.key).join()})`,
    );
    return `${key} for ${namespace}: ${calls.join(' ')}`;
  });
}

function problems({ problems }: RuleSet): readonly string[] {
  return [...problems].flatMap(([key, of]) => of.map(({ type, field }) => `${key} ${type} ${field}`));
}

const DENIER = 'handler shop/refuse {compiledAdapter: denier}';
const NOTHING = 'instance shop/anything {compiledTemplate: checknothing}';

test('rules are in the order of their keys, with their handlers and instances', (t) => {
  const set = setOf(
    policyObjects(`rule shop/b {actions: [{handler: refuse, instances: [anything]}]}
      rule shop/a {match: "request.path == \\"/\\"", actions: [{handler: refuse.handler, instances: [anything.instance.shop], name: x}]}
      ${DENIER}
      ${NOTHING}`),
  );
  t.deepEqual(shown(set), [
    'rule/shop/a for shop: handler/shop/refuse(instance/shop/anything)',
    'rule/shop/b for shop: handler/shop/refuse(instance/shop/anything)',
  ]);
  t.deepEqual(problems(set), []);
  const [first, second] = set.rules;
  t.is(first?.actions[0]?.name, 'x');
  t.is(first?.actions[0]?.handler.object, second?.actions[0]?.handler.object);
  t.is(first?.attributes.typeOf('request.size'), 'INT64');
});

test('a rule of the root namespace applies to all requests, and every namespace may use its objects', (t) => {
  const set = setOf(
    policyObjects(`rule mesh-system/all {actions: [{handler: refuse, instances: [anything]}]}
      handler mesh-system/refuse {compiledAdapter: denier}
      instance mesh-system/anything {compiledTemplate: checknothing}
      rule shop/some {actions: [{handler: refuse.mesh-system, instances: [anything.mesh-system]}]}`).map((object) => ({
      ...object,
      origin: 'cluster' as const,
    })),
  );
  t.deepEqual(shown(set), [
    'rule/mesh-system/all for all: handler/mesh-system/refuse(instance/mesh-system/anything)',
    'rule/shop/some for shop: handler/mesh-system/refuse(instance/mesh-system/anything)',
  ]);
});

test('objects of another namespace are used only if it grants that, and nothing tells whether they exist', (t) => {
  const rule = ofCluster('rule evil/r {actions: [{handler: refuse.shop, instances: [anything.shop, other.shop]}]}');
  const objects = [rule, ofCluster(DENIER), ofCluster(NOTHING)];
  const [refused] = [setOf(objects)];
  t.deepEqual(shown(refused), []);
  t.deepEqual(
    [...(refused.problems.get('rule/evil/r') ?? [])].map((each) =>
      each.type === 'reference' ? each.resolution.type : '',
    ),
    ['not granted', 'not granted', 'not granted'],
  );
  const granted = setOf([...objects, namespaceThatGrants('shop', 'evil')]);
  t.deepEqual(shown(granted), ['rule/evil/r for evil: handler/shop/refuse(instance/shop/anything)']);
  t.deepEqual(problems(granted), ['rule/evil/r reference actions[0].instances[1]']);
});

test('what is missing or does not fit is left out, and the rest of the rule stays', (t) => {
  const set = setOf(
    policyObjects(`rule shop/r {actions: [{handler: lost, instances: [anything]}, {handler: refuse, instances: [anything, gone]}, {handler: count, instances: [anything]}, {handler: refuse}]}
      handler shop/count {compiledAdapter: memquota}
      ${DENIER}
      ${NOTHING}`),
  );
  t.deepEqual(shown(set), ['rule/shop/r for shop: handler/shop/refuse(instance/shop/anything)']);
  t.deepEqual(problems(set), [
    'rule/shop/r reference actions[0].handler',
    'rule/shop/r reference actions[1].instances[1]',
    'rule/shop/r template actions[2].instances[0]',
    'rule/shop/r without effect actions[3].instances',
  ]);
});

test('attributes of manifests decide which expressions are right', (t) => {
  const rule = 'rule shop/r {match: "request.tier == \\"gold\\"", actions: [{handler: refuse, instances: [anything]}]}';
  const manifest = (path: string, type: string) =>
    ofCluster(`attributemanifest ${path} {attributes: {request.tier: {valueType: ${type}}}}`);
  const objects = policyObjects(`${rule}\n${DENIER}\n${NOTHING}`);
  t.deepEqual(problems(setOf(objects)), ['rule/shop/r expression match']);
  t.deepEqual(shown(setOf(objects)), []);
  t.deepEqual(problems(setOf([...objects, manifest('shop/m', 'STRING')])), []);
  t.deepEqual(problems(setOf([...objects, manifest('mesh-system/m', 'STRING')])), []);
  t.deepEqual(problems(setOf([...objects, manifest('shop/m', 'INT64')])), ['rule/shop/r expression match']);
  t.deepEqual(problems(setOf([...objects, manifest('evil/m', 'STRING')])), ['rule/shop/r expression match']);
  t.deepEqual(problems(setOf([...objects, manifest('shop/m', 'INT64'), manifest('mesh-system/m', 'STRING')])), []);
});

test('an instance with a wrong expression is not used', (t) => {
  const set = setOf(
    policyObjects(`rule shop/r {actions: [{handler: refuse, instances: [entry]}]}
      instance shop/entry {compiledTemplate: listentry, params: {value: request.tier}}
      ${DENIER}`),
  );
  t.deepEqual([shown(set), problems(set)], [[], ['rule/shop/r unusable actions[0].instances[0]']]);
});

/** An adapter outside of the policy server, and an instance of its template. */
const ownAdapter = (templates: string) => `handler shop/h {adapter: plans, connection: {address: "plans:9000"}}
    adapter shop/plans {templates: [${templates}]}
    template shop/keys {descriptor: ${ACCOUNTS}}
    instance shop/i {template: keys, params: {key: request.path}}`;

test('an adapter of your own takes the templates that it names, and rules may read its output', (t) => {
  const text = (
    templates: string,
  ) => `rule shop/r {actions: [{handler: h, instances: [i, n], name: plan}], requestHeaderOperations: [{name: x-plan, values: [plan.output.plan]}]}
    ${ownAdapter(templates)}
    instance shop/n {compiledTemplate: checknothing}`;
  t.deepEqual(problems(setOf(policyObjects(text('keys, checknothing')))), []);
  t.deepEqual(shown(setOf(policyObjects(text('keys, checknothing')))), [
    'rule/shop/r for shop: handler/shop/h(instance/shop/i,instance/shop/n)',
  ]);
  t.deepEqual(problems(setOf(policyObjects(text('other')))), [
    'rule/shop/r template actions[0].instances[0]',
    'rule/shop/r template actions[0].instances[1]',
  ]);
});

test('a header operation that reads an output which the template does not have is a problem of its own', (t) => {
  const text = (
    value: string,
  ) => `rule shop/r {actions: [{handler: h, instances: [i], name: account}], requestHeaderOperations: [{name: x-plan, values: [${value}]}]}
    ${ownAdapter('keys')}`;
  t.deepEqual(problems(setOf(policyObjects(text('account.output.plan')))), []);
  t.deepEqual(problems(setOf(policyObjects(text('account.output.plann')))), [
    'rule/shop/r expression requestHeaderOperations[0].values[0]',
  ]);
});
