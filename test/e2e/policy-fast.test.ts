import { createHash } from 'node:crypto';
import { boundQuotaSpec, policyManifest } from '../counterparts/policy-manifests.js';
import { eventually } from '../support/eventually.js';
import { countStatuses, createPolicyMesh } from './policy-mesh.js';
import { policyOf, policyTests } from './policy-tests.js';

const { available, test, e2eTest } = policyTests();

const KEY = 'key-of-acme';

/** A plan of the service `planned`, and its consumer. */
const PLAN = [
  policyManifest('Plan', 'small', {
    services: [{ name: 'planned' }],
    limits: [{ name: 'day', requests: 4, per: 'day' }],
  }),
  policyManifest('Consumer', 'acme', {
    plan: { name: 'small' },
    keys: [{ sha256: createHash('sha256').update(KEY).digest('hex') }],
  }),
];

const one = (quota: string, charge = 1) => [{ quotas: [{ quota, charge }] }];

test.before(async (t) => {
  if (available === undefined) return;
  t.context.policy = await createPolicyMesh(available, {
    services: ['keys', 'heavy', 'mixed', 'hidden', 'later', 'planned'],
    specs: {
      'keys.yaml': boundQuotaSpec({ name: 'keys' }, ['keys'], one('keys'), 'fast'),
      'heavy.yaml': boundQuotaSpec({ name: 'heavy' }, ['heavy'], one('heavy', 7), 'fast'),
      'mixed-fast.yaml': boundQuotaSpec({ name: 'mixed-fast' }, ['mixed'], one('mixed-fast'), 'fast'),
      'mixed.yaml': boundQuotaSpec({ name: 'mixed' }, ['mixed'], one('mixed')),
      'hidden.yaml': boundQuotaSpec(
        { name: 'hidden' },
        ['hidden'],
        [{ match: [{ 'source.namespace': { exact: 'default' } }], quotas: [{ quota: 'hidden', charge: 1 }] }],
        'fast',
      ),
      'later.yaml': boundQuotaSpec({ name: 'later' }, ['later'], one('later')),
      'planned.yaml': boundQuotaSpec({ name: 'planned' }, ['planned'], one('planned'), 'fast'),
      'plan.yaml': PLAN,
    },
    limits: [
      { name: 'keys', maxAmount: 10, dimensions: ['request.api_key'] },
      { name: 'heavy', maxAmount: 70 },
      { name: 'mixed-fast', maxAmount: 8 },
      { name: 'mixed', maxAmount: 5 },
      { name: 'hidden', maxAmount: 4 },
      { name: 'later', maxAmount: 6 },
      { name: 'planned', maxAmount: 10 },
    ],
  });
});

type Policy = ReturnType<typeof policyOf>;

/**
 * Sends one request, waits until its bucket has an assignment, and sends the others one after the other, between two
 * reports of the proxy: a report in between changes the share, which then comes little by little.
 */
async function sendInTurn(
  policy: Policy,
  service: string,
  count: number,
  headers: Readonly<Record<string, string>> = {},
) {
  await untilReported(policy);
  const before = await fastShares(policy);
  const answers = [...(await policy.send(service, 1, { headers }))];
  await eventually('the bucket has an assignment', async () => {
    const now = await fastShares(policy);
    // Reports of the buckets that are there already get assignments too, every five seconds.
    return now.buckets > before.buckets && now.assignments > before.assignments;
  });
  await untilProxyCounts(policy);
  for (let sent = 1; sent < count; sent++) answers.push(...(await policy.send(service, 1, { headers })));
  return answers;
}

/** Waits for the next of the proxy's reports, which come every five seconds. The first bucket begins them. */
async function untilReported(policy: Policy): Promise<void> {
  const { buckets, assignments } = await fastShares(policy);
  if (buckets === 0) return;
  await eventually('the proxy reports', async () => (await fastShares(policy)).assignments > assignments);
}

/**
 * A sent assignment is in the proxy's socket. The proxy's main thread reads it before it answers a page, and hands it to the
 * worker before the worker reads another request.
 */
async function untilProxyCounts({ server }: Policy): Promise<void> {
  for (let answers = 0; answers < 2; answers++) await server.envoy.admin('/ready');
}

async function fastShares({ mesh }: Policy): Promise<{ readonly buckets: number; readonly assignments: number }> {
  const metrics = await mesh.discovery.get('/metrics');
  const valueOf = (name: string) => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(metrics)?.[1] ?? 0);
  return {
    buckets: valueOf('policy_server_fast_buckets'),
    assignments: valueOf('policy_server_fast_assignments_total'),
  };
}

e2eTest('a fast quota lets its limit through for each key, and refuses the rest without a check', async (t) => {
  const policy = policyOf(t.context);
  for (const key of ['first', 'second']) {
    const answers = await sendInTurn(policy, 'keys', 15, { 'x-api-key': key });
    t.deepEqual(countStatuses(answers), { 200: 10, 429: 5 });
    t.is(answers.at(-1)?.body, 'Quota is exhausted for: keys');
    t.is(answers.at(-1)?.headers['retry-after'], '5');
  }
  t.notRegex(await policy.mesh.discovery.get('/metrics'), /policy_server_checks_total\{protocol="http"/);
});

e2eTest('a request is charged several units of a fast quota', async (t) => {
  const answers = await sendInTurn(policyOf(t.context), 'heavy', 13);
  t.deepEqual(countStatuses(answers), { 200: 10, 429: 3 });
});

e2eTest('beside a fast quota, an exact one is checked', async (t) => {
  const answers = await sendInTurn(policyOf(t.context), 'mixed', 10);
  t.deepEqual(countStatuses(answers), { 200: 5, 429: 5 });
  t.is(answers[6]?.body, 'Quota is exhausted for: mixed');
  t.is(answers[9]?.body, 'Quota is exhausted for: mixed-fast', 'refused requests count there too');
});

e2eTest('a fast quota that proxies cannot enforce stays exact, and analysis says why', async (t) => {
  const policy = policyOf(t.context);
  const answers = await policy.send('hidden', 7);
  t.deepEqual(countStatuses(answers), { 200: 4, 429: 3 });
  t.regex(await policy.mesh.discovery.get('/debug/config_problems'), /MESH0262/);
});

e2eTest('a quota becomes fast while requests go on, and none fails', async (t) => {
  const policy = policyOf(t.context);
  const { configFolder } = policy.mesh.discovery;
  t.deepEqual(countStatuses(await policy.send('later', 3)), { 200: 3 });
  await configFolder.write('later.yaml', boundQuotaSpec({ name: 'later' }, ['later'], one('later'), 'fast'));
  const answers: Awaited<ReturnType<typeof policy.send>>[number][] = [];
  await eventually('the proxy counts by itself', async () => {
    answers.push(...(await policy.send('later', 1)));
    return answers.at(-1)?.headers['retry-after'] === '5';
  });
  t.deepEqual(Object.keys(countStatuses(answers)), ['200', '429']);
});

e2eTest(
  'the proxy counts a fast quota before the policy server finds the plan, and the plan only what it lets through',
  async (t) => {
    const policy = policyOf(t.context);
    const answers = await sendInTurn(policy, 'planned', 13, { 'x-api-key': KEY });
    t.deepEqual(countStatuses(answers), { 200: 4, 429: 9 });
    t.is(answers[5]?.body, 'Quota is exhausted for: day');
    t.is(answers[9]?.body, 'Quota is exhausted for: day', 'the fast quota counts requests that the plan refuses');
    t.is(answers[12]?.body, 'Quota is exhausted for: planned');
    const { discovery } = policy.mesh;
    t.is(await discovery.metric('policy_server_plan_charges_total', { result: 'granted' }), 4);
    t.is(await discovery.metric('policy_server_plan_charges_total', { result: 'refused' }), 6);
    const [withoutKey] = await policy.send('planned', 1);
    t.is(withoutKey?.status, 429, 'not 401: the policy server is not asked');
  },
);
