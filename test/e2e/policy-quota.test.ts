import { boundApiSpec, boundQuotaSpec } from '../counterparts/policy-manifests.js';
import { eventually } from '../support/eventually.js';
import { countOfClusters } from './envoy-evidence.js';
import { countStatuses, createPolicyMesh } from './policy-mesh.js';
import { policyOf, policyTests } from './policy-tests.js';

const { available, test, e2eTest } = policyTests();

const SPECS = {
  'ten.yaml': boundQuotaSpec({ name: 'ten' }, ['ten'], [{ quotas: [{ quota: 'ten', charge: 1 }] }]),
  'fixed.yaml': boundQuotaSpec({ name: 'fixed' }, ['fixed'], [{ quotas: [{ quota: 'fixed', charge: 1 }] }]),
  'weighted.yaml': boundQuotaSpec({ name: 'weighted' }, ['weighted'], [{ quotas: [{ quota: 'weighted', charge: 3 }] }]),
  'summed.yaml': boundQuotaSpec(
    { name: 'summed' },
    ['summed'],
    [
      { quotas: [{ quota: 'summed', charge: 1 }] },
      { match: [{ 'request.method': { exact: 'GET' } }], quotas: [{ quota: 'summed', charge: 2 }] },
    ],
  ),
  'pair.yaml': boundQuotaSpec(
    { name: 'pair' },
    ['pair'],
    [
      { quotas: [{ quota: 'pair-large', charge: 1 }] },
      { match: [{ 'request.path': { prefix: '/narrow' } }], quotas: [{ quota: 'pair-small', charge: 1 }] },
    ],
  ),
  'titles-api.yaml': boundApiSpec(
    { name: 'titles' },
    ['titles'],
    [
      { httpMethod: 'GET', uriTemplate: '/titles', operation: 'list' },
      { httpMethod: 'GET', uriTemplate: '/titles/{isbn}', operation: 'read' },
      { httpMethod: 'POST', uriTemplate: '/titles/{isbn}/orders', operation: 'order' },
    ],
  ),
  'titles.yaml': boundQuotaSpec(
    { name: 'titles' },
    ['titles'],
    ['list', 'read', 'order'].map((operation) => ({
      match: [{ 'api.operation': { exact: operation } }],
      quotas: [{ quota: `titles-${operation}`, charge: 1 }],
    })),
  ),
  'unlimited.yaml': boundQuotaSpec(
    { name: 'unlimited' },
    ['unlimited'],
    [{ quotas: [{ quota: 'without-a-limit', charge: 1 }] }],
  ),
};

/**
 * The length of a fixed window that has just begun: windows begin at whole multiples of their length, and a test that
 * straddles two would see both limits.
 */
function lengthWithoutBoundary(): string {
  const now = Date.now() / 1000;
  const lengths = Array.from({ length: 1800 }, (_, index) => 1800 + index);
  const seconds = lengths.reduce((best, length) => (length - (now % length) > best - (now % best) ? length : best));
  return `${seconds}s`;
}

test.before(async (t) => {
  if (available === undefined) return;
  t.context.policy = await createPolicyMesh(available, {
    services: ['ten', 'fixed', 'weighted', 'summed', 'pair', 'titles', 'unlimited'],
    specs: SPECS,
    limits: [
      { name: 'ten', maxAmount: 10 },
      { name: 'fixed', maxAmount: 10, window: 'fixed', validDuration: lengthWithoutBoundary() },
      { name: 'weighted', maxAmount: 10 },
      { name: 'summed', maxAmount: 10 },
      { name: 'pair-large', maxAmount: 6 },
      { name: 'pair-small', maxAmount: 2 },
      { name: 'titles-list', maxAmount: 5 },
      { name: 'titles-read', maxAmount: 4 },
      { name: 'titles-order', maxAmount: 2 },
    ],
  });
});

for (const [service, title, longest] of [
  // Units of a rolling window come back a sixtieth of it late at most.
  ['ten', 'a quota of 10 in any minute lets exactly 10 of 50 concurrent requests through', 61],
  ['fixed', 'a quota of 10 per fixed window lets exactly 10 of 50 concurrent requests through', 3600],
] as const) {
  e2eTest(title, async (t) => {
    const policy = policyOf(t.context);
    const passed = () => countOfClusters(policy.server.envoy, 'inbound|80|', 'upstream_rq_total');
    const before = await passed();
    const answers = await policy.send(service, 50);
    t.deepEqual(countStatuses(answers), { 200: 10, 429: 40 });
    t.is((await passed()) - before, 10, 'what was refused did not reach the app');
    for (const { status, body, headers } of answers) {
      if (status === 200) continue;
      t.is(body, `Quota is exhausted for: ${service}`);
      t.regex(String(headers['content-type']), /^text\/plain/);
      const retryAfter = Number(headers['retry-after']);
      t.true(Number.isInteger(retryAfter) && retryAfter >= 1 && retryAfter <= longest, `retry-after: ${retryAfter}`);
    }
    t.deepEqual(countStatuses(await policy.send(service, 20)), { 429: 20 }, 'and nothing more in the same minute');
  });
}

e2eTest('a charge of 3 uses up a quota of 10 with three requests', async (t) => {
  const answers = await policyOf(t.context).send('weighted', 20);
  t.deepEqual(countStatuses(answers), { 200: 3, 429: 17 });
});

e2eTest('every matching rule charges, even to the same quota', async (t) => {
  const policy = policyOf(t.context);
  t.deepEqual(countStatuses(await policy.send('summed', 20)), { 200: 3, 429: 17 }, 'a GET is charged 1 and 2');
  const posts = await policy.send('summed', 5, { method: 'POST' });
  t.deepEqual(countStatuses(posts), { 200: 1, 429: 4 }, 'a POST is charged 1, which is what was left');
});

e2eTest('a request that one quota rejects charges no other quota', async (t) => {
  const policy = policyOf(t.context);
  const narrow = await policy.send('pair', 10, { path: '/narrow/gate' });
  t.deepEqual(countStatuses(narrow), { 200: 2, 429: 8 });
  t.deepEqual(
    new Set(narrow.flatMap(({ status, body }) => (status === 429 ? [body] : []))),
    new Set(['Quota is exhausted for: pair-small']),
  );
  const wide = await policy.send('pair', 10, { path: '/wide' });
  t.deepEqual(countStatuses(wide), { 200: 4, 429: 6 }, 'two of six were used');
  const both = await policy.send('pair', 1, { path: '/narrow' });
  t.is(both[0]?.body, 'Quota is exhausted for: pair-large,pair-small');
});

e2eTest('each operation of an API has its own quota', async (t) => {
  const policy = policyOf(t.context);
  const [list, read, order, other] = await Promise.all([
    policy.send('titles', 10, { path: '/titles?author=joyce' }),
    policy.send('titles', 10, { path: '/titles/0-306-40615-2' }),
    policy.send('titles', 10, { path: '/titles/0-306-40615-2/orders', method: 'POST', body: '{}' }),
    policy.send('titles', 10, { path: '/titles/0-306-40615-2', method: 'DELETE' }),
  ]);
  t.deepEqual(countStatuses(list), { 200: 5, 429: 5 });
  t.deepEqual(countStatuses(read), { 200: 4, 429: 6 });
  t.deepEqual(countStatuses(order), { 200: 2, 429: 8 });
  t.deepEqual(countStatuses(other), { 200: 10 }, 'no operation, no quota');
});

e2eTest('a quota without a limit on the policy server allows all requests and is reported', async (t) => {
  const policy = policyOf(t.context);
  t.deepEqual(countStatuses(await policy.send('unlimited', 20)), { 200: 20 });
  await eventually('the quota is reported', async () =>
    (await policy.mesh.discovery.get('/debug/config_problems')).includes('without-a-limit'),
  );
});
