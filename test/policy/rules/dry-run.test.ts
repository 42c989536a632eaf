import test from 'ava';
import { createRuleRig, FAIL_CLOSE } from './rule-rig.js';

const ANYTHING = 'instance shop/anything {compiledTemplate: checknothing}';
const DENY = `rule shop/deny {dryRun: true, match: "request.path == \\"/closed\\"", actions: [{handler: refuse, instances: [anything]}], requestHeaderOperations: [{name: x-a, values: ['"1"']}]}
  handler shop/refuse {compiledAdapter: denier, params: {status: {code: 7}}}
  ${ANYTHING}`;

test('a rule in a dry run refuses nothing and changes no headers, and its refusal is told', async (t) => {
  const rig = createRuleRig();
  rig.apply(DENY);
  const closed = await rig.check({ 'request.path': '/closed' });
  t.like(closed, {
    status: { code: 'OK' },
    dryRun: [{ by: 'rule', name: 'rule/shop/deny', code: 'PERMISSION_DENIED' }],
  });
  t.is(closed.headerChanges, undefined);
  t.is((await rig.check({ 'request.path': '/open' })).dryRun, undefined);
});

test('a handler of a dry run that fails refuses nothing, also with FAIL_CLOSE', async (t) => {
  const rig = createRuleRig({
    build: () => ({ check: () => Promise.reject(new Error('away')), close: async () => undefined }),
  });
  rig.apply(DENY);
  const decision = await rig.check({ 'request.path': '/closed' }, undefined, FAIL_CLOSE);
  t.like(decision, { status: { code: 'OK' } });
  t.deepEqual([decision.failure, decision.dryRun], [undefined, undefined]);
});

const COUNTER = `handler shop/counter {compiledAdapter: memquota, params: {quotas: [{name: requests, maxAmount: 2, validDuration: 10s}]}}
  instance shop/requests {compiledTemplate: quota, params: {dimensions: {path: request.path}}}`;
const counting = (name: string, more = '') =>
  `rule shop/${name} {${more}actions: [{handler: counter, instances: [requests]}]}`;

test('the counters of a dry run count what would be granted, and take nothing from those in force', async (t) => {
  const rig = createRuleRig();
  rig.apply(`${counting('trial', 'dryRun: true, ')}\n${COUNTER}`);
  const ask = () => rig.check({ 'request.path': '/a' }, 'requests');
  const refusals = [await ask(), await ask(), await ask(), await ask()].map(({ status, dryRun }) => [
    status.code,
    dryRun?.length ?? 0,
  ]);
  t.deepEqual(refusals, [
    ['OK', 0],
    ['OK', 0],
    ['OK', 1],
    ['OK', 1],
  ]);
  rig.apply(`${counting('force')}\n${COUNTER}`);
  t.deepEqual(
    [(await ask()).status.code, (await ask()).status.code, (await ask()).status.code],
    ['OK', 'OK', 'RESOURCE_EXHAUSTED'],
  );
});

test('the charge of a spec in a dry run is counted by the rules in force, apart from other charges', async (t) => {
  const rig = createRuleRig();
  rig.apply(`${counting('force')}\n${COUNTER}`);
  const tried = () => rig.check({ 'request.path': '/a' }, undefined, FAIL_CLOSE, 'requests');
  t.deepEqual([(await tried()).dryRun, (await tried()).dryRun], [undefined, undefined]);
  t.like(await tried(), {
    status: { code: 'OK' },
    dryRun: [{ by: 'quota', name: 'requests', code: 'RESOURCE_EXHAUSTED' }],
  });
  t.is((await rig.check({ 'request.path': '/a' }, 'requests')).status.code, 'OK');
});

test('a request that is refused is not tried, and handlers in force come first', async (t) => {
  const rig = createRuleRig();
  rig.apply(`${DENY}
  rule shop/force {match: "request.path == \\"/closed\\"", actions: [{handler: refuse, instances: [anything]}]}`);
  const decision = await rig.check({ 'request.path': '/closed' });
  t.is(decision.status.code, 'PERMISSION_DENIED');
  t.is(decision.dryRun, undefined);
});
