import anyTest, { type ExecutionContext, type TestFn } from 'ava';
import type { StatusChange } from '../counterparts/agent/calls.js';
import { eventually } from '../counterparts/eventually.js';
import { boundApiSpec, boundQuotaSpec, type Rule } from '../counterparts/policy-manifests.js';
import { requireSidecarCounterparts } from '../counterparts/requirement.js';
import { assertPolicyHolds, createPolicyMesh, type Limit, type PolicyMesh, policyConfig } from './policy-mesh.js';

const { available } = requireSidecarCounterparts();
const test = anyTest as TestFn<{ policy?: PolicyMesh }>;
const e2eTest = available === undefined ? test.skip : test.serial;

/** What a change may take until no request meets the state before it. */
const IN_FORCE_MS = 1000;
/** Requests that must meet the new state alone before a change counts as complete. */
const REQUESTS_AFTER_CHANGE = 300;

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
  });
});

test.afterEach.always('no sidecar refused anything', async (t) => {
  if (t.context.policy !== undefined) await assertPolicyHolds(t.context.policy);
});

test.after.always(async (t) => {
  await t.context.policy?.mesh.close();
});

function policyOf({ policy }: { policy?: PolicyMesh }): PolicyMesh {
  if (policy === undefined) throw new Error('the mesh did not start');
  return policy;
}

interface Step {
  readonly what: string;
  /** Comes first and changes nothing. */
  prepare?(): Promise<void>;
  make(): Promise<void>;
  readonly status: 200 | 429;
}

/** How often listeners were replaced as a whole or in part, at both sidecars. */
async function listenerChanges({ client, server }: PolicyMesh): Promise<readonly (number | undefined)[]> {
  const stats = await Promise.all([client.envoy.stats(), server.envoy.stats()]);
  return stats.flatMap((each) =>
    ['listener_added', 'listener_modified', 'listener_removed', 'listener_in_place_updated'].map((name) =>
      each.get(`listener_manager.${name}`),
    ),
  );
}

/** Makes the changes one after another under load, and says what each took until its status was the only one. */
async function changeUnderLoad(
  t: ExecutionContext,
  policy: PolicyMesh,
  steps: readonly Step[],
  request = policy.request('changing'),
): Promise<void> {
  const { agent } = policy.client;
  const listeners = await listenerChanges(policy);
  await agent.call('startLoad', { request, expected: [200, 429] });
  const read = () => agent.call('readLoad', null);
  await eventually('the load runs', async () => (await read()).requests > 100);
  for (const { what, prepare, make, status } of steps) {
    await prepare?.();
    const writtenAt = Date.now();
    await make();
    const settled = await eventually(`${what}: ${status}`, async () => {
      const { changes, requests } = await read();
      const last = changes.at(-1);
      return last?.status === status && requests >= last.after + REQUESTS_AFTER_CHANGE ? changes : undefined;
    });
    const since = settled.filter(({ at }) => at >= writtenAt);
    const took = (since.at(-1)?.at ?? Number.NaN) - writtenAt;
    t.log(`${what}: in force after ${took} ms`);
    t.deepEqual(onlyOnce(since), [status], `${what}: one state, then the other`);
    t.true(took <= IN_FORCE_MS, `${what}: ${took} ms`);
  }
  const report = await agent.call('stopLoad', null);
  t.deepEqual(report.samples, []);
  t.is(report.failures, 0);
  t.log(`${report.requests} requests, none failed`);
  t.deepEqual(await listenerChanges(policy), listeners, 'no listener was replaced');
}

/** Waits for so many more requests of the running load. */
async function moreRequests({ client: { agent } }: PolicyMesh, count: number): Promise<void> {
  const { requests } = await agent.call('readLoad', null);
  await eventually(
    `${count} more requests`,
    async () => (await agent.call('readLoad', null)).requests >= requests + count,
  );
}

/** Two requests in flight may be answered the other way round once: that is one change. */
function onlyOnce(changes: readonly StatusChange[]): readonly number[] {
  const last = changes.at(-1);
  const first = changes[0];
  if (last === undefined || first === undefined || last.after - first.after > 2)
    return changes.map((each) => each.status);
  return [last.status];
}

e2eTest('a changed QuotaSpec is in force within a second, and no request fails', async (t) => {
  const policy = policyOf(t.context);
  const { configFolder } = policy.mesh.discovery;
  const apply = (what: string, status: 200 | 429, ...rules: readonly Rule[]): Step => ({
    what,
    status,
    make: () => configFolder.write(FILE, specOf(...rules)),
  });
  const unmatched: Rule = { match: [{ 'request.path': { exact: '/elsewhere' } }], quotas: [TOO_MUCH] };
  await changeUnderLoad(t, policy, [
    apply('a higher charge', 429, { quotas: [TOO_MUCH] }),
    apply('another quota', 200, { quotas: [{ quota: 'spacious', charge: 1 }] }),
    apply('one more rule', 429, { quotas: [{ quota: 'spacious', charge: 1 }] }, { quotas: [TOO_MUCH] }),
    apply('a condition on a rule', 200, { quotas: [{ quota: 'spacious', charge: 1 }] }, unmatched),
    apply('a rule without its condition', 429, { quotas: [TOO_MUCH] }),
    apply('a lower charge', 200, { quotas: [{ quota: 'roomy', charge: 1 }] }),
  ]);
});

e2eTest('a policy that is bound and unbound is in force within a second, and no request fails', async (t) => {
  const policy = policyOf(t.context);
  const { configFolder } = policy.mesh.discovery;
  await changeUnderLoad(t, policy, [
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
  await changeUnderLoad(t, policy, [
    { what: 'an operation', status: 429, make: () => configFolder.write(FILE, [...charged, ...api('dear')]) },
    { what: 'another operation', status: 200, make: () => configFolder.write(FILE, [...charged, ...api('cheap')]) },
  ]);
});

e2eTest('a changed configuration of the policy server is in force within a second, and no request fails', async (t) => {
  const policy = policyOf(t.context);
  const { discovery } = policy.mesh;
  await discovery.configFolder.write(FILE, specOf({ quotas: [{ quota: 'roomy', charge: 1000 }] }));
  const limit = (maxAmount: number) => discovery.writePolicyConfig(policyConfig([{ name: 'roomy', maxAmount }]));
  await changeUnderLoad(t, policy, [
    { what: 'a lower limit', status: 429, make: () => limit(999) },
    { what: 'a higher limit', status: 200, make: () => limit(ROOMY) },
    {
      what: 'a lower limit after a broken file',
      status: 429,
      prepare: async () => {
        await discovery.writePolicyConfig('quotas: [{ name: roomy, maxAmount: many }]');
        await eventually('the broken file is told of', async () => {
          return (await discovery.get('/debug/config_problems')).includes('maxAmount');
        });
        await moreRequests(policy, REQUESTS_AFTER_CHANGE);
      },
      make: () => limit(999),
    },
    { what: 'no limit any more', status: 200, make: () => discovery.writePolicyConfig(policyConfig([])) },
  ]);
});
