import { boundApiSpec, boundQuotaSpec } from '../counterparts/policy-manifests.js';
import { eventually } from '../support/eventually.js';
import { countStatuses, createPolicyMesh, type Limit, policyConfig } from './policy-mesh.js';
import { reportsOf } from './policy-reports.js';
import { policyOf, policyTests } from './policy-tests.js';

const { available, test, e2eTest } = policyTests();

const HOST = 'titles.default.svc.cluster.local';
const LIMITS: readonly Limit[] = [{ name: 'orders', maxAmount: 2 }];
/** Appears nowhere but in requests. */
const SECRET = 'correct-horse-battery-staple';

test.before(async (t) => {
  if (available === undefined) return;
  t.context.policy = await createPolicyMesh(available, {
    flags: ['--log_as_json'],
    services: ['titles', 'silent'],
    specs: {
      'api.yaml': boundApiSpec(
        { name: 'titles' },
        ['titles'],
        [
          { httpMethod: 'GET', uriTemplate: '/titles', operation: 'list' },
          { httpMethod: 'GET', uriTemplate: '/titles/{isbn}', operation: 'read' },
          { httpMethod: 'POST', uriTemplate: '/titles/{isbn}/orders', operation: 'order' },
        ],
        [{ query: 'token' }, { header: 'x-token' }],
      ),
      'quota.yaml': boundQuotaSpec(
        { name: 'titles' },
        ['titles'],
        [{ match: [{ 'api.operation': { exact: 'order' } }], quotas: [{ quota: 'orders', charge: 1 }] }],
      ),
    },
    limits: LIMITS,
  });
});

e2eTest('requests are counted by service, operation and response code on either side', async (t) => {
  const policy = policyOf(t.context);
  const { discovery } = policy.mesh;
  await policy.send('titles', 3, { path: '/titles' });
  await policy.send('titles', 2, { path: '/titles/1' });
  const orders = await policy.send('titles', 5, { path: '/titles/1/orders', method: 'POST', body: 'four' });
  t.deepEqual(countStatuses(orders), { 200: 2, 429: 3 });
  await policy.send('titles', 1, { path: '/titles/1', method: 'DELETE' });
  await policy.send('silent', 4);

  const count = (labels: Readonly<Record<string, string>>) => discovery.metric('policy_server_requests_total', labels);
  const bySide = { inbound: { reporter: 'inbound', service: HOST }, outbound: { reporter: 'outbound', service: HOST } };
  await eventually('both sides have reported all requests', async () => {
    return (await count(bySide.inbound)) >= 11 && (await count(bySide.outbound)) >= 11;
  });
  const byOperation = async (operation: string, code: string) =>
    count({ ...bySide.inbound, operation, response_code: code });
  t.is(await byOperation('list', '200'), 3);
  t.is(await byOperation('read', '200'), 2);
  t.is(await byOperation('order', '200'), 2);
  t.is(await byOperation('order', '429'), 3);
  t.is(await byOperation('unknown', '200'), 1);
  for (const labels of Object.values(bySide)) {
    t.is(await count(labels), 11);
    t.is(await count({ ...labels, response_code: '200' }), 8);
    t.is(await count({ ...labels, response_code: '429' }), 3);
  }
  t.is(await discovery.metric('policy_server_request_bytes_total', bySide.inbound), 20, 'five bodies of four bytes');
  await eventually('a service without a policy is reported too', async () => {
    return (await count({ reporter: 'inbound', service: 'silent.default.svc.cluster.local' })) === 4;
  });
  t.deepEqual(reportsOf(discovery), [], 'not to the log, unless the configuration says so');
});

e2eTest('enabled reports are JSON lines in the log, without API keys in plain text', async (t) => {
  const policy = policyOf(t.context);
  const { discovery } = policy.mesh;
  const logReports = (log: boolean) => discovery.writePolicyConfig(policyConfig(LIMITS, { reports: { log } }));
  await logReports(true);
  await eventually('reports are logged', async () => {
    await policy.send('silent', 1);
    return reportsOf(discovery).length > 0;
  });

  await policy.send('titles', 1, { path: `/titles/7?token=${SECRET}&page=2` });
  await policy.send('titles', 1, { path: '/titles/8', headers: { 'x-token': SECRET } });
  await policy.send('titles', 1, { path: '/titles/9', headers: { authorization: `Bearer ${SECRET}`, cookie: SECRET } });
  const found = await eventually('the three requests are in the log, from the inbound side', () => {
    const reports = reportsOf(discovery).filter((report) => report['context.reporter.kind'] === 'inbound');
    const ours = reports.filter((report) => report['api.operation'] === 'read');
    return ours.length === 3 ? ours : undefined;
  });
  const byPath = new Map(found.map((report) => [report['request.url_path'], report]));
  t.deepEqual([...byPath.keys()].sort(), ['/titles/7', '/titles/8', '/titles/9']);
  t.like(byPath.get('/titles/7'), {
    'api.service': 'titles',
    'destination.service.host': HOST,
    'request.method': 'GET',
    'response.code': 200,
    'context.protocol': 'http',
    'source.uid': 'orchestrator://client.default',
  });
  const [first, second] = [byPath.get('/titles/7'), byPath.get('/titles/8')];
  t.truthy(first?.['request.api_key']);
  t.is(first?.['request.api_key'], second?.['request.api_key'], 'the same key can still be told');
  t.true(String(first?.['request.path']).includes('page=2'));
  t.deepEqual(
    discovery.logLines().filter((line) => line.includes(SECRET)),
    [],
  );

  await logReports(false);
  await eventually('reports are no longer logged', async () => {
    const before = reportsOf(discovery).length;
    const reported = await discovery.metric('policy_server_requests_total');
    await policy.send('silent', 1);
    await eventually('it was reported', async () => {
      return (await discovery.metric('policy_server_requests_total')) >= reported + 2;
    });
    return reportsOf(discovery).length === before;
  });
});
