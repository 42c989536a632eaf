import { boundApiSpec, boundQuotaSpec, type Rule } from '../counterparts/policy-manifests.js';
import { eventually } from '../support/eventually.js';
import { type Change, changeUnderLoad } from './policy-change-load.js';
import { createPolicyMesh, type Limit, policyConfig } from './policy-mesh.js';
import { policyOf, policyTests } from './policy-tests.js';
import { moreRequests } from './running-load.js';

const { available, test, e2eTest } = policyTests();

const FILE = 'changing.yaml';
const ROOMY = 1_000_000_000;
const specOf = (...rules: readonly Rule[]) => boundQuotaSpec({ name: 'changing' }, ['changing'], rules);
const LIMITS: readonly Limit[] = [
  { name: 'roomy', maxAmount: ROOMY },
  { name: 'spacious', maxAmount: ROOMY },
];
const FITS = specOf({ quotas: [{ quota: 'roomy', charge: 1 }] });
const TOO_MUCH = { quota: 'roomy', charge: ROOMY + 1 };

test.before(async (t) => {
  if (available === undefined) return;
  t.context.policy = await createPolicyMesh(available, {
    services: ['changing'],
    specs: { [FILE]: FITS },
    limits: LIMITS,
    flags: ['--drainTime', '2s', '--drainTimeout', '8s'],
  });
});

e2eTest('a changed QuotaSpec is in force within a second, and no request fails', async (t) => {
  const policy = policyOf(t.context);
  const { configFolder } = policy.mesh.discovery;
  const apply = (what: string, status: 200 | 429, ...rules: readonly Rule[]): Change => ({
    what,
    status,
    make: () => configFolder.write(FILE, specOf(...rules)),
  });
  const unmatched: Rule = { match: [{ 'request.path': { exact: '/elsewhere' } }], quotas: [TOO_MUCH] };
  await changeUnderLoad(t, policy, 'changing', [
    apply('a higher charge', 429, { quotas: [TOO_MUCH] }),
    apply('another quota', 200, { quotas: [{ quota: 'spacious', charge: 1 }] }),
    apply('one more rule', 429, { quotas: [{ quota: 'spacious', charge: 1 }] }, { quotas: [TOO_MUCH] }),
    apply('a condition on a rule', 200, { quotas: [{ quota: 'spacious', charge: 1 }] }, unmatched),
    apply('a rule without its condition', 429, { quotas: [TOO_MUCH] }),
    apply('a lower charge', 200, { quotas: [{ quota: 'roomy', charge: 1 }] }),
  ]);
});

e2eTest('a binding and its removal are in force within a second, and no request fails', async (t) => {
  const policy = policyOf(t.context);
  const { configFolder } = policy.mesh.discovery;
  await changeUnderLoad(t, policy, 'changing', [
    { what: 'a refusing policy', status: 429, make: () => configFolder.write(FILE, specOf({ quotas: [TOO_MUCH] })) },
    { what: 'the policy removed', status: 200, make: () => configFolder.remove(FILE) },
    { what: 'a policy added', status: 429, make: () => configFolder.write(FILE, specOf({ quotas: [TOO_MUCH] })) },
    { what: 'the first policy', status: 200, make: () => configFolder.write(FILE, FITS) },
  ]);
});

e2eTest('a changed HTTPAPISpec is in force within a second, and no request fails', async (t) => {
  const policy = policyOf(t.context);
  const { configFolder } = policy.mesh.discovery;
  const api = (operation: string) =>
    boundApiSpec({ name: 'changing' }, ['changing'], [{ httpMethod: 'GET', uriTemplate: '/**', operation }]);
  const charged = specOf({ match: [{ 'api.operation': { exact: 'dear' } }], quotas: [TOO_MUCH] });
  await configFolder.write(FILE, [...charged, ...api('cheap')]);
  await changeUnderLoad(t, policy, 'changing', [
    { what: 'an operation', status: 429, make: () => configFolder.write(FILE, [...charged, ...api('dear')]) },
    { what: 'another operation', status: 200, make: () => configFolder.write(FILE, [...charged, ...api('cheap')]) },
  ]);
});

e2eTest('a changed configuration of the policy server is in force within a second, and no request fails', async (t) => {
  const policy = policyOf(t.context);
  const { discovery } = policy.mesh;
  await discovery.configFolder.write(FILE, specOf({ quotas: [{ quota: 'roomy', charge: 1000 }] }));
  const limit = (maxAmount: number) => discovery.writePolicyConfig(policyConfig([{ name: 'roomy', maxAmount }]));
  await changeUnderLoad(t, policy, 'changing', [
    { what: 'a lower limit', status: 429, make: () => limit(999) },
    { what: 'a higher limit', status: 200, make: () => limit(ROOMY) },
    {
      what: 'a lower limit after a broken file',
      status: 429,
      prepare: async () => {
        await discovery.writePolicyConfig('quotas: [{ name: roomy, maxAmount: many }]');
        await eventually('the broken file is reported', async () => {
          return (await discovery.get('/debug/config_problems')).includes('maxAmount');
        });
        await moreRequests(policy.client.agent, 300);
      },
      make: () => limit(999),
    },
    { what: 'no limit any more', status: 200, make: () => discovery.writePolicyConfig(policyConfig([])) },
  ]);
});

e2eTest(
  'a server that shuts down answers every check until its drain ends, and asks connections to close',
  async (t) => {
    const policy = policyOf(t.context);
    const { discovery } = policy.mesh;
    const { agent } = policy.client;
    const connections = async () =>
      (await policy.server.envoy.stat('cluster.policy_check_server.upstream_cx_total')) ?? 0;
    const before = await connections();
    await agent.call('startLoad', { request: policy.request('changing'), concurrency: 8, expected: [200, 503] });
    await moreRequests(policy.client.agent, 200);
    const ended = discovery.terminate();
    await moreRequests(policy.client.agent, 500);
    await ended;
    // The answers that are on their way when the load stops need not be of the time after the end.
    await eventually('requests are rejected', async () => {
      return (await agent.call('readLoad', null)).changes.some(({ status }) => status === 503);
    });
    const connected = await connections();
    const { changes, requests, failures } = await agent.call('stopLoad', null);
    const lines = discovery.logLines();
    await discovery.start();
    t.is(failures, 0);
    t.deepEqual(changes.map(({ status }) => status).slice(0, 2), [200, 503]);
    // On a stalled machine, callers may seem to be disconnected.
    const line = lines.find((each) => /callers (still connect|have left)/.test(each)) ?? '';
    const overAt = Date.parse(line.split('  ')[0] ?? '');
    t.true((changes[1]?.at ?? 0) >= overAt, `${changes[1]?.at} and ${line}`);
    t.log(`${changes[1]?.after} of ${requests} requests were answered`);
    if (line.includes('still connect')) t.true(connected > before + 1, 'proxies connected anew, more than once');
  },
);
