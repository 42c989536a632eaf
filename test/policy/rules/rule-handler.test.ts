import test from 'ava';
import type { Adapter } from '../../../src/policy/rules/adapters/adapter.js';
import { createRuleRig, FAIL_CLOSE } from './rule-rig.js';

const DENY = `rule shop/deny {match: "request.path == \\"/closed\\"", actions: [{handler: refuse, instances: [anything]}]}
  handler shop/refuse {compiledAdapter: denier, params: {status: {code: 7, message: closed, details: [], }, validDuration: 5s, validUseCount: 1}}
  instance shop/anything {compiledTemplate: checknothing}`;

test('a denier refuses the requests that its rule matches, and no others', async (t) => {
  const rig = createRuleRig();
  rig.apply(DENY);
  t.deepEqual((await rig.check({ 'request.path': '/closed' })).status, {
    code: 'PERMISSION_DENIED',
    message: 'closed',
  });
  t.is((await rig.check({ 'request.path': '/open' })).status.code, 'OK');
  t.deepEqual(await rig.series('policy_runtime_dispatches_total'), [
    'policy_runtime_dispatches_total{meshFunction="checknothing",handler="handler/shop/refuse",adapter="denier",error="false"} 1',
  ]);
});

test('a rule of a namespace does not concern services of other namespaces', async (t) => {
  const rig = createRuleRig();
  rig.apply(DENY);
  const decision = await rig.check({ 'request.path': '/closed', 'destination.service.namespace': 'web' });
  t.is(decision.status.code, 'OK');
});

test('a rule that is found by another text than its namespace stays within its namespace', async (t) => {
  const rig = createRuleRig();
  // The namespace is the text of two rules, so the path finds the first.
  rig.apply(`${DENY}
  rule shop/other {match: "request.path == \\"/other\\"", actions: [{handler: refuse, instances: [anything]}]}`);
  t.is((await rig.check({ 'request.path': '/closed' })).status.code, 'PERMISSION_DENIED');
  const decision = await rig.check({ 'request.path': '/closed', 'destination.service.namespace': 'web' });
  t.is(decision.status.code, 'OK');
});

test('a listchecker compares texts, addresses and expressions', async (t) => {
  const cases = [
    ['STRINGS', '[a]', 'a', 'A'],
    ['CASE_INSENSITIVE_STRINGS', '[a]', 'A', 'b'],
    ['IP_ADDRESSES', '["10.1.0.0/16", "::1"]', '10.1.2.3', '10.2.0.1'],
    ['REGEX', '["^a+$"]', 'aaa', 'aab'],
  ] as const;
  for (const [entryType, overrides, listed, other] of cases) {
    const rig = createRuleRig();
    rig.apply(`rule shop/r {actions: [{handler: list, instances: [path]}]}
      handler shop/list {compiledAdapter: listchecker, params: {entryType: ${entryType}, overrides: ${overrides}, blacklist: false, cachingInterval: 1s, cachingUseCount: 1}}
      instance shop/path {compiledTemplate: listentry, params: {value: request.path}}`);
    t.is((await rig.check({ 'request.path': listed })).status.code, 'OK', entryType);
    t.is((await rig.check({ 'request.path': other })).status.code, 'NOT_FOUND', entryType);
  }
});

const QUOTA = `rule shop/r {actions: [{handler: counter, instances: [requests]}]}
  handler shop/counter {compiledAdapter: memquota, params: {minDeduplicationDuration: 1s, quotas: [{name: requests, maxAmount: 2, validDuration: 10s, overrides: [{dimensions: {path: /small}, maxAmount: 1}]}]}}
  instance shop/requests {compiledTemplate: quota, params: {dimensions: {path: request.path}}}`;

test('memquota counts the quotas that a request charges, by its dimensions and overrides', async (t) => {
  const rig = createRuleRig();
  rig.apply(QUOTA);
  const codes = async (path: string) => (await rig.check({ 'request.path': path }, 'requests')).status.code;
  t.deepEqual([await codes('/a'), await codes('/a'), await codes('/a')], ['OK', 'OK', 'RESOURCE_EXHAUSTED']);
  t.deepEqual([await codes('/small'), await codes('/small')], ['OK', 'RESOURCE_EXHAUSTED']);
  t.is((await rig.check({ 'request.path': '/a' })).status.code, 'OK', 'a request without a charge is not counted');
});

test('a handler with the same parameters keeps its counters when rules change', async (t) => {
  const rig = createRuleRig();
  rig.apply(QUOTA);
  await rig.check({ 'request.path': '/small' }, 'requests');
  rig.apply(`${QUOTA}\n${DENY}`);
  t.is((await rig.check({ 'request.path': '/small' }, 'requests')).status.code, 'RESOURCE_EXHAUSTED');
  t.deepEqual(await rig.series('policy_handler_reused_handlers_total'), ['policy_handler_reused_handlers_total 1']);
  t.deepEqual(await rig.series('policy_handler_new_handlers_total'), ['policy_handler_new_handlers_total 1']);
  rig.apply(DENY);
  t.deepEqual(await rig.series('policy_handler_closed_handlers_total'), ['policy_handler_closed_handlers_total 1']);
});

test('log entries of reports come in batches, as lines', (t) => {
  const rig = createRuleRig();
  rig.apply(`rule shop/r {actions: [{handler: out, instances: [entry]}]}
    handler shop/out {compiledAdapter: stdio, params: {logStream: STDOUT, severityLevels: {}, metricLevel: INFO, outputAsJson: true, outputLevel: INFO}}
    instance shop/entry {compiledTemplate: logentry, params: {severity: '"error"', variables: {path: request.path}}}`);
  rig.report({ 'request.path': '/a' });
  rig.report({ 'request.path': '/b' });
  t.deepEqual(rig.lines, []);
  rig.clock.advance(100);
  t.deepEqual(
    rig.lines.map((line) => JSON.parse(line.slice('stdout '.length)).path),
    ['/a', '/b'],
  );
});

/** A handler whose calls fail, next to one that works. */
function failingAdapter(check: NonNullable<Adapter['check']>): Adapter {
  return { check, close: async () => undefined };
}

test('the fail policy decides when a handler throws or does not answer', async (t) => {
  const throwing = createRuleRig({
    build: () =>
      failingAdapter(() => {
        throw new Error('broken');
      }),
  });
  throwing.apply(DENY);
  const open = await throwing.check({ 'request.path': '/closed' });
  t.deepEqual([open.status.code, open.failure], ['OK', 'rule']);
  const closed = await throwing.check({ 'request.path': '/closed' }, undefined, FAIL_CLOSE);
  t.deepEqual([closed.status.code, closed.failure], ['UNAVAILABLE', 'rule']);

  const silent = createRuleRig({ build: () => failingAdapter(() => new Promise(() => undefined)) });
  silent.apply(DENY);
  const pending = silent.check({ 'request.path': '/closed' }, undefined, FAIL_CLOSE);
  silent.clock.advance(1000);
  t.is((await pending).failure, 'rule');
});

test('the fail policy decides about a request that needs a handler that cannot be built, and about no other', async (t) => {
  const rig = createRuleRig({
    build: () => {
      throw new Error('params.address: cannot be used');
    },
  });
  rig.apply(`${DENY}\n${QUOTA}`);
  t.true(rig.log.some(({ message }) => message === 'handler of rules does not run'));
  t.is(rig.handler.failures().get('handler/shop/refuse'), 'params.address: cannot be used');
  const open = await rig.check({ 'request.path': '/closed' });
  t.deepEqual([open.status.code, open.failure], ['OK', 'rule']);
  const closed = await rig.check({ 'request.path': '/closed' }, undefined, FAIL_CLOSE);
  t.deepEqual([closed.status.code, closed.failure], ['UNAVAILABLE', 'rule']);
  t.is((await rig.check({ 'request.path': '/a' }, 'requests', FAIL_CLOSE)).failure, 'rule');
  t.is((await rig.check({ 'request.path': '/a' }, undefined, FAIL_CLOSE)).failure, undefined, 'charges nothing');
  t.is((await rig.check({ 'request.path': '/a' }, 'other', FAIL_CLOSE)).failure, undefined);
});

test('the fail policy decides when conditions take more work than a request may cause', async (t) => {
  const rig = createRuleRig();
  rig.apply(DENY.replace('request.path ==', '\\"^(a?){300}$\\".matches(request.path) || request.path =='));
  const path = 'a'.repeat(30_000);
  const closed = await rig.check({ 'request.path': path }, undefined, FAIL_CLOSE);
  t.deepEqual([closed.status.code, closed.failure], ['UNAVAILABLE', 'rule']);
  t.is((await rig.check({ 'request.path': '/open' }, undefined, FAIL_CLOSE)).failure, undefined);
});

test('the fail policy decides when rules of a namespace call too many handlers, and rules of all namespaces still decide', async (t) => {
  const rig = createRuleRig();
  const ruleOf = (at: number) => `rule shop/r${at} {actions: [{handler: h${at}, instances: [any]}]}
    handler shop/h${at} {compiledAdapter: noop}`;
  const many = (rules: number) => Array.from({ length: rules }, (_, at) => ruleOf(at)).join('\n');
  const own = 'instance shop/any {compiledTemplate: checknothing}';
  rig.apply(`${many(1000)}\n${own}`);
  t.is((await rig.check({ 'request.path': '/' }, undefined, FAIL_CLOSE)).failure, undefined);
  rig.apply(`${many(1001)}\n${own}`);
  t.is((await rig.check({ 'request.path': '/' }, undefined, FAIL_CLOSE)).failure, 'rule');
  t.is((await rig.check({ 'destination.service.namespace': 'web' }, undefined, FAIL_CLOSE)).failure, undefined);
  rig.apply(`${many(1001)}\n${own}
    rule mesh-system/z {actions: [{handler: refuse, instances: [any]}]}
    handler mesh-system/refuse {compiledAdapter: denier}
    instance mesh-system/any {compiledTemplate: checknothing}`);
  t.is((await rig.check({ 'request.path': '/' })).status.code, 'FAILED_PRECONDITION');
});
