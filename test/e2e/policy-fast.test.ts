import { boundQuotaSpec } from '../counterparts/policy-manifests.js';
import { eventually } from '../support/eventually.js';
import { countStatuses, createPolicyMesh } from './policy-mesh.js';
import { policyOf, policyTests } from './policy-tests.js';

const { available, test, e2eTest } = policyTests();

const one = (quota: string, charge = 1) => [{ quotas: [{ quota, charge }] }];

test.before(async (t) => {
  if (available === undefined) return;
  t.context.policy = await createPolicyMesh(available, {
    services: ['keys', 'heavy', 'mixed', 'hidden', 'later'],
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
    },
    limits: [
      { name: 'keys', maxAmount: 10, dimensions: ['request.api_key'] },
      { name: 'heavy', maxAmount: 70 },
      { name: 'mixed-fast', maxAmount: 8 },
      { name: 'mixed', maxAmount: 5 },
      { name: 'hidden', maxAmount: 4 },
      { name: 'later', maxAmount: 6 },
    ],
  });
});

type Policy = ReturnType<typeof policyOf>;

/** Sends one request, waits until its bucket has an assignment, and sends the others one after the other. */
async function sendInTurn(
  policy: Policy,
  service: string,
  count: number,
  headers: Readonly<Record<string, string>> = {},
) {
  const before = await assignments(policy);
  const answers = [...(await policy.send(service, 1, { headers }))];
  await eventually('the bucket has an assignment', async () => (await assignments(policy)) > before);
  await untilProxyCounts(policy);
  for (let sent = 1; sent < count; sent++) answers.push(...(await policy.send(service, 1, { headers })));
  return answers;
}

/**
 * A sent assignment is in the proxy's socket. The proxy's main thread reads it before it answers a page, and hands it to the
 * worker before the worker reads another request.
 */
async function untilProxyCounts({ server }: Policy): Promise<void> {
  for (let answers = 0; answers < 2; answers++) await server.envoy.admin('/ready');
}

async function assignments({ mesh }: Policy): Promise<number> {
  const metrics = await mesh.discovery.get('/metrics');
  return Number(/^policy_server_fast_assignments_total (\d+)$/m.exec(metrics)?.[1] ?? 0);
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
