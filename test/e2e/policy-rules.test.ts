import { existsSync, readFileSync } from 'node:fs';
import type { ExecutionContext } from 'ava';
import type { HttpAnswer } from '../counterparts/agent/calls.js';
import type { Manifest } from '../counterparts/config-folder.js';
import { boundQuotaSpec, policyManifest } from '../counterparts/policy-manifests.js';
import {
  createPolicyProcess,
  POLICY_SERVICE_SETTINGS,
  type PolicyProcess,
  policyServiceManifests,
} from '../counterparts/policy-process.js';
import { requireSampleAdapters, startSampleAdapter } from '../counterparts/sample-adapters.js';
import { eventually } from '../support/eventually.js';
import { prepareAuditFile, sampleAdapterObjects } from './own-adapters.js';
import { changeUnderLoad } from './policy-change-load.js';
import { countStatuses, createPolicyMesh, type PolicyMesh, policyMeshConfig } from './policy-mesh.js';
import { type PolicyContext, policyOf, policyTests } from './policy-tests.js';

const { available, test, e2eTest } = policyTests();
const adapters = requireSampleAdapters();
const adapterTest = 'missing' in adapters ? test.skip : e2eTest;

const POLICY_ADDRESS = '10.244.9.1';
/** A changed rule is in force within this time. */
const IN_FORCE_MS = 300;

const rule = (service: string, handler: string, instance: string, more = ''): Manifest =>
  policyManifest('rule', service, {
    match: `destination.service.name == "${service}" && context.reporter.kind == "inbound"${more}`,
    actions: [{ handler, instances: [instance] }],
  });

const NO_SEATS = { code: 8, message: 'no seats are left' };
const RULES: readonly Manifest[] = [
  policyManifest('instance', 'anything', { compiledTemplate: 'checknothing' }),
  policyManifest('handler', 'sign-in', {
    compiledAdapter: 'denier',
    params: {
      status: {
        code: 16,
        details: [
          {
            '@type': 'type.googleapis.com/google.rpc.DirectHttpResponse',
            code: 'TemporaryRedirect',
            body: 'sign in first',
            headers: { location: '/login', 'x-reason': 'no account' },
          },
        ],
      },
    },
  }),
  rule('closed', 'sign-in', 'anything', ' && (request.headers["x-account"] | "") == ""'),
  policyManifest('instance', 'user', {
    compiledTemplate: 'listentry',
    params: { value: 'request.headers["x-user"] | ""' },
  }),
  policyManifest('handler', 'friends', { compiledAdapter: 'listchecker', params: { overrides: ['ada', 'bob'] } }),
  rule('listed', 'friends', 'user'),
  policyManifest('instance', 'calls', { compiledTemplate: 'quota' }),
  policyManifest('handler', 'counter', {
    compiledAdapter: 'memquota',
    params: { quotas: [{ name: 'calls', maxAmount: 10, validDuration: '60s' }] },
  }),
  rule('counted', 'counter', 'calls'),
  policyManifest('handler', 'full', { compiledAdapter: 'denier', params: { status: NO_SEATS } }),
];
/** Where the adapters of the samples run: at an address of the router. */
const ADAPTER_ADDRESS = '10.244.9.2';
const auditFile = prepareAuditFile(test);

/** The adapters of the samples, for the service `keyed`. */
const OWN_ADAPTERS = sampleAdapterObjects(['accounts', 'audit'], {
  ...{ address: ADAPTER_ADDRESS, service: 'keyed', auditFile },
});
const changing = (method: string): readonly Manifest[] => [
  rule('changing', 'full', 'anything', ` && request.method == "${method}"`),
];

test.before(async (t) => {
  if (available === undefined) return;
  t.context.policy = await createPolicyMesh(available, {
    services: ['closed', 'listed', 'counted', 'changing', 'keyed'],
    annotations: { keyed: { 'policy.mesh.internal/failPolicy': 'FAIL_OPEN' } },
    specs: {
      'rules.yaml': RULES,
      'changing.yaml': changing('TRACE'),
      'adapters.yaml': OWN_ADAPTERS,
      'counted.yaml': boundQuotaSpec({ name: 'counted' }, ['counted'], [{ quotas: [{ quota: 'calls', charge: 1 }] }]),
    },
    limits: [],
    files: {
      'policy.yaml': policyServiceManifests([POLICY_ADDRESS]),
    },
  });
});

/** What the rules decide, the same wherever they run. */
async function assertDecisions(t: ExecutionContext, policy: PolicyMesh): Promise<void> {
  const answer = async (service: string, headers: Readonly<Record<string, string>> = {}): Promise<HttpAnswer> => {
    const [first] = await policy.send(service, 1, { headers });
    return first as HttpAnswer;
  };
  const refused = await answer('closed');
  t.like(refused, { status: 307, body: 'sign in first' });
  t.like(refused.headers, { location: '/login', 'x-reason': 'no account' });
  t.is((await answer('closed', { 'x-account': 'a' })).status, 200);
  t.deepEqual([(await answer('listed')).status, (await answer('listed', { 'x-user': 'eve' })).status], [404, 404]);
  t.is((await answer('listed', { 'x-user': 'ada' })).status, 200);
}

const write =
  ({ mesh }: PolicyMesh, method: string) =>
  () =>
    mesh.discovery.configFolder.write('changing.yaml', changing(method));

async function assertChanges(t: ExecutionContext, policy: PolicyMesh): Promise<void> {
  const changes = [
    { what: 'a rule that matches', status: 429, make: write(policy, 'GET') },
    { what: 'a rule that matches no more', status: 200, make: write(policy, 'TRACE') },
  ] as const;
  await changeUnderLoad(t, policy, 'changing', changes, 1, IN_FORCE_MS);
}

e2eTest('rules refuse requests with their own answers, and let listed callers pass', async (t) => {
  await assertDecisions(t, policyOf(t.context));
});

e2eTest('a quota of a rule allows exactly 10 of 50 concurrent requests', async (t) => {
  t.deepEqual(countStatuses(await policyOf(t.context).send('counted', 50)), { 200: 10, 429: 40 });
});

e2eTest('a changed rule is in force within 300 ms, no request fails, and all handlers stay', async (t) => {
  const policy = policyOf(t.context);
  await assertChanges(t, policy);
  const { discovery } = policy.mesh;
  t.is(await discovery.metric('policy_handler_reused_handlers_total'), 6);
  t.is(await discovery.metric('policy_handler_new_handlers_total'), 0);
  t.deepEqual(countStatuses(await policy.send('counted', 5)), { 429: 5 });
});

async function startAdapters({ mesh }: PolicyMesh) {
  const { value } = adapters as Extract<typeof adapters, { readonly value: unknown }>;
  const { router } = mesh.rig.network;
  const started = await Promise.all([
    startSampleAdapter(router.enter(value.accounts), `${ADAPTER_ADDRESS}:9000`),
    startSampleAdapter(router.enter(value.audit), `${ADAPTER_ADDRESS}:9001`),
  ]);
  mesh.rig.defer(async () => void (await Promise.all(started.map((each) => each.stop()))));
  return started;
}

adapterTest(
  'adapters of your own decide and set headers, and killing them under load fails no request and loses no report',
  async (t) => {
    const policy = policyOf(t.context);
    const { agent } = policy.client;
    await policy.mesh.rig.network.addRouterAddress(ADAPTER_ADDRESS);
    const started = await startAdapters(policy);
    const answerTo = async (key: string): Promise<HttpAnswer> => {
      const [first] = await policy.send('keyed', 1, { headers: { 'x-api-key': key, 'x-plan': 'forged' } });
      return first as HttpAnswer;
    };
    const statusOf = async (key: string) => (await answerTo(key)).status;
    await eventually('an unknown key is refused', async () => (await statusOf('other')) === 401);
    const allowed = await answerTo('key-of-ann');
    t.is(allowed.status, 200);
    t.is(JSON.parse(allowed.body).headers['x-plan'], 'gold', "the adapter's output is a header of the request");
    await eventually('the reports come', () => existsSync(auditFile));

    const failures = () => policy.mesh.discovery.metric('policy_server_fail_policy_answers_total');
    const before = await failures();
    const request = policy.request('keyed', { headers: { 'x-api-key': 'key-of-ann' } });
    await agent.call('startLoad', { request, numbered: true });
    const requests = async () => (await agent.call('readLoad', null)).requests;
    const more = async (count: number): Promise<void> => {
      const from = await requests();
      await eventually(`${count} more requests`, async () => (await requests()) >= from + count);
    };
    await more(100);
    for (const each of started) each.child.kill('SIGKILL');
    await more(200);
    await startAdapters(policy);
    await eventually('an unknown key is refused again', async () => (await statusOf('other')) === 401);
    await more(100);
    const report = await agent.call('stopLoad', null);
    t.deepEqual(report.samples, []);
    t.is(report.failures, 0);
    t.true((await failures()) >= before + 100, 'the fail policy has decided');
    const { discovery } = policy.mesh;
    const lines = () => readFileSync(auditFile, 'utf8').split('\n');
    const reported = () => new Set(lines().filter((line) => line.includes('?n='))).size;
    await eventually('every request has its line', () => reported() === report.requests);
    t.is(await discovery.metric('policy_adapter_reports_lost_total'), 0);
    t.log(`${report.requests} requests, ${await failures()} by the fail policy`);
  },
);

let separate: PolicyProcess | undefined;

async function separateOf(context: PolicyContext): Promise<PolicyProcess> {
  if (separate !== undefined) return separate;
  const { mesh } = policyOf(context);
  await mesh.rig.network.addRouterAddress(POLICY_ADDRESS);
  separate = createPolicyProcess(mesh.rig, { address: POLICY_ADDRESS, discovery: mesh.discovery });
  await separate.start();
  await mesh.discovery.writeMeshConfig(policyMeshConfig(POLICY_SERVICE_SETTINGS));
  return separate;
}

e2eTest('a policy server in a process of its own applies the same rules, and follows their changes', async (t) => {
  const policy = policyOf(t.context);
  const server = await separateOf(t.context);
  await eventually('proxies ask it', async () => {
    await policy.send('listed', 1);
    return (await server.metric('policy_runtime_dispatches_total')) > 0;
  });
  await assertDecisions(t, policy);
  t.deepEqual(countStatuses(await policy.send('counted', 50)), { 200: 10, 429: 40 });
  await assertChanges(t, policy);
  t.is(await server.metric('policy_handler_reused_handlers_total'), 6);
  t.is(await server.metric('policy_discovery_rule_updates_total', { result: 'rejected' }), 0);
});
