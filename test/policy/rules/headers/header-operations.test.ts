import test from 'ava';
import type { MeshObject } from '../../../../src/config/object.js';
import { createRegexPrograms } from '../../../../src/config/regex/regex-programs.js';
import { createEvaluationMeter } from '../../../../src/expressions/compile/lazy-frame.js';
import { createResolvedRules } from '../../../../src/model/policy/rules/resolved-rules.js';
import { bagOf } from '../../../../src/policy/client/attribute-bag.js';
import type { AttributeValue } from '../../../../src/policy/client/attribute-value.js';
import type { HeaderChanges } from '../../../../src/policy/client/header-changes.js';
import type { Adapter } from '../../../../src/policy/rules/adapters/adapter.js';
import { createRuleCompiler } from '../../../../src/policy/rules/rule-set.js';
import { tenantMesh } from '../../../model/policy/tenant-objects.js';
import { policyObjects } from '../../../status/analysis/support.js';
import { ACCOUNTS } from '../../../support/adapter-descriptors.js';
import { createFakeClock } from '../../../support/fake-clock.js';
import { createRuleRig, FAIL_CLOSE, FAIL_OPEN } from '../rule-rig.js';

const NO_CHANGES: HeaderChanges = { requestToSet: [], requestToRemove: [], responseToSet: [], responseToAdd: [] };

function headers(entries: Readonly<Record<string, string>>): AttributeValue {
  return { type: 'stringMap', value: new Map(Object.entries(entries)) };
}

async function changesOf(rules: string, sent: Readonly<Record<string, string>> = {}): Promise<HeaderChanges> {
  const rig = createRuleRig();
  rig.apply(rules);
  return { ...NO_CHANGES, ...(await rig.check({ 'request.headers': headers(sent) })).headerChanges };
}

test('REPLACE, APPEND and REMOVE are applied in the order of namespace and name, and only final values are sent', async (t) => {
  const rules = `
    rule shop/b {requestHeaderOperations: [{name: X-A, values: ['"b"'], operation: APPEND}, {name: x-gone, operation: REMOVE}]}
    rule shop/a {requestHeaderOperations: [{name: x-a, values: ['"a1"', '"a2"']}, {name: x-gone, values: ['"x"']}]}
    rule shop/c {requestHeaderOperations: [{name: x-sent, values: ['"more"'], operation: APPEND}, {name: cookie, values: ['"k=1"'], operation: APPEND}]}`;
  t.deepEqual(await changesOf(rules, { 'x-sent': 'some', 'x-a': 'of the caller', cookie: 'j=0' }), {
    ...NO_CHANGES,
    requestToSet: [
      ['x-a', 'a1,a2,b'],
      ['x-sent', 'some,more'],
      ['cookie', 'j=0; k=1'],
    ],
    requestToRemove: ['x-gone'],
  });
});

test('headers of responses are replaced or added, and values of rules before can be removed again', async (t) => {
  const rules = `rule shop/r {responseHeaderOperations: [{name: x-new, values: ['"1"']}, {name: set-cookie, values: ['"a=1"', '"b=2"'], operation: APPEND}, {name: x-new, values: ['"2"'], operation: APPEND}, {name: x-not, values: ['"1"']}, {name: x-not, operation: REMOVE}]}`;
  t.deepEqual(await changesOf(rules), {
    ...NO_CHANGES,
    responseToSet: [['x-new', '1,2']],
    responseToAdd: [
      ['set-cookie', 'a=1'],
      ['set-cookie', 'b=2'],
    ],
  });
});

test('a rule that does not match, or is of another namespace, changes nothing', async (t) => {
  const operations = `requestHeaderOperations: [{name: x-a, values: ['"1"']}]`;
  const rules = `rule shop/r {match: "request.headers[\\"x-vip\\"] == \\"1\\"", ${operations}}
    rule web/r {${operations}}`;
  t.deepEqual(await changesOf(rules), NO_CHANGES);
  t.deepEqual((await changesOf(rules, { 'x-vip': '1' })).requestToSet, [['x-a', '1']]);
});

test('a value that cannot be made removes the header of the caller, and the fail policy decides', async (t) => {
  const rig = createRuleRig();
  rig.apply(`rule shop/r {requestHeaderOperations: [{name: x-tier, values: [source.principal]}]}`);
  const sent = (value?: string) => ({
    'request.headers': headers({ 'x-tier': 'gold' }),
    ...(value && { 'source.principal': value }),
  });
  t.deepEqual((await rig.check(sent('silver'))).headerChanges?.requestToSet, [['x-tier', 'silver']]);
  for (const wrong of [undefined, 'a\r\nx-admin: 1', 'a\0']) {
    const open = await rig.check(sent(wrong), undefined, FAIL_OPEN);
    t.like(open, { status: { code: 'OK' }, failure: 'rule' });
    t.deepEqual(open.headerChanges, { ...NO_CHANGES, requestToRemove: ['x-tier'] });
    t.is((await rig.check(sent(wrong), undefined, FAIL_CLOSE)).status.code, 'UNAVAILABLE');
  }
  t.true(rig.log.some(({ message }) => message === 'header operation of a rule not applied'));
});

test('rules change at most 32 headers of a request, of 16,384 characters', async (t) => {
  const many = Array.from({ length: 40 }, (_, index) => `{name: x-${index}, values: ['"1"']}`).join();
  const rig = createRuleRig();
  rig.apply(`rule shop/r {requestHeaderOperations: [${many}]}`);
  const decision = await rig.check({}, undefined, FAIL_OPEN);
  t.is(decision.headerChanges?.requestToSet.length, 32);
  t.is(decision.failure, 'rule');
  rig.apply(`rule shop/r {requestHeaderOperations: [{name: x-a, values: [request.path]}]}`);
  const long = await rig.check({ 'request.path': 'a'.repeat(20_000) }, undefined, FAIL_OPEN);
  t.deepEqual(long.headerChanges, { ...NO_CHANGES, requestToRemove: ['x-a'] });
  t.is((await rig.check({ 'request.path': 'a'.repeat(20_000) }, undefined, FAIL_CLOSE)).status.code, 'UNAVAILABLE');
});

const OUTPUT = `rule shop/r {actions: [{handler: h, instances: [i], name: account}], requestHeaderOperations: [{name: x-plan, values: [account.output.plan]}]}
  handler shop/h {adapter: plans, connection: {address: "plans:9000"}}
  adapter shop/plans {templates: [keys]}
  template shop/keys {descriptor: ${ACCOUNTS}}
  instance shop/i {template: keys, params: {key: request.path}}`;

test('values read the output of a named action, and fail where the handler has none', async (t) => {
  let output: string | undefined = 'gold';
  const adapter: Adapter = {
    check: async () => ({
      status: { code: 'OK', message: '' },
      ...(output !== undefined && { output: new Map([['plan', { type: 'string', value: output }]]) }),
    }),
    close: async () => undefined,
  };
  const rig = createRuleRig({ build: () => adapter });
  rig.apply(OUTPUT);
  t.deepEqual((await rig.check({ 'request.path': '/a' })).headerChanges?.requestToSet, [['x-plan', 'gold']]);
  output = undefined;
  const failed = await rig.check({ 'request.path': '/a' });
  t.is(failed.failure, 'rule');
  t.deepEqual(failed.headerChanges?.requestToRemove, ['x-plan']);
});

test('operations of an unchanged rule are compiled again only when the outputs that they may read change', (t) => {
  const environment = { clock: createFakeClock(), random: Math.random };
  const compile = createRuleCompiler('legacy', createRegexPrograms({ scope: 'any part' }), environment);
  const bag = bagOf(new Map([['destination.service.namespace', { type: 'string', value: 'shop' }]]));
  const headersOf = (objects: readonly MeshObject[]) => {
    const { rules } = createResolvedRules('legacy')(tenantMesh(objects).context);
    return compile(rules).headerRules?.(bag, createEvaluationMeter())[0]?.headers;
  };
  const objects = policyObjects(OUTPUT);
  const first = headersOf(objects);
  t.truthy(first);
  t.is(headersOf([...objects, ...policyObjects('handler shop/other {compiledAdapter: denier}')]), first);
  t.is(headersOf(objects.filter(({ kind }) => kind !== 'instance')), undefined);
  t.deepEqual(headersOf(objects)?.outputs, first?.outputs);
});

test('a refused request has no changes', async (t) => {
  const rig = createRuleRig();
  rig.apply(`rule shop/r {actions: [{handler: refuse, instances: [anything]}], requestHeaderOperations: [{name: x-a, values: ['"1"']}]}
    handler shop/refuse {compiledAdapter: denier}
    instance shop/anything {compiledTemplate: checknothing}`);
  const decision = await rig.check({});
  t.not(decision.status.code, 'OK');
  t.is(decision.headerChanges, undefined);
});
