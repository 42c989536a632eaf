import type { ExecutionContext } from 'ava';
import type { HttpAnswer } from '../counterparts/agent/calls.js';
import type { Manifest } from '../counterparts/config-folder.js';
import { boundQuotaSpec, policyManifest } from '../counterparts/policy-manifests.js';
import { eventually } from '../support/eventually.js';
import { countStatuses, createPolicyMesh, type PolicyMesh } from './policy-mesh.js';
import { policyOf, policyTests } from './policy-tests.js';

const { available, test, e2eTest } = policyTests();

const matchOf = (service: string) => `destination.service.name == "${service}" && context.reporter.kind == "inbound"`;

const RULES: readonly Manifest[] = [
  policyManifest('rule', 'a-tagged', {
    match: matchOf('tagged'),
    requestHeaderOperations: [
      { name: 'X-Tier', values: ['request.headers["x-account"] | "none"'] },
      { name: 'x-list', values: ['"rule"', 'request.method'], operation: 'APPEND' },
      { name: 'x-secret', operation: 'REMOVE' },
      { name: 'x-name', values: ['"zoë"'] },
    ],
    responseHeaderOperations: [{ name: 'x-policy', values: ['"seen"'], operation: 'APPEND' }],
  }),
  policyManifest('handler', 'policies', { compiledAdapter: 'rbac' }),
  policyManifest('instance', 'caller', {
    compiledTemplate: 'authorization',
    params: {
      subject: { user: 'request.headers["x-user"] | ""' },
      action: {
        namespace: '"default"',
        method: 'request.method',
        properties: { 'destination.labels[decides]': '"rules"' },
      },
    },
  }),
  policyManifest('rule', 'c-guarded', {
    match: matchOf('guarded'),
    actions: [{ handler: 'policies', instances: ['caller'] }],
  }),
  policyManifest('handler', 'move', {
    compiledAdapter: 'denier',
    params: {
      status: {
        code: 7,
        details: [
          {
            '@type': 'type.googleapis.com/google.rpc.DirectHttpResponse',
            code: 'InternalServerError',
            body: 'closed for today',
            headers: { 'x-reason': 'holiday' },
          },
        ],
      },
    },
  }),
  policyManifest('instance', 'anything', { compiledTemplate: 'checknothing' }),
  policyManifest('rule', 'd-closed', {
    match: `${matchOf('guarded')} && request.path == "/closed"`,
    actions: [{ handler: 'move', instances: ['anything'] }],
  }),
];

/** Only a Check over gRPC can replace headers of responses. */
const REPLACING: readonly Manifest[] = [
  policyManifest('rule', 'b-replaced', {
    match: matchOf('replaced'),
    requestHeaderOperations: [{ name: 'x-tier', values: ['"gold"'] }],
    responseHeaderOperations: [
      { name: 'x-served-by', values: ['"a rule"'] },
      { name: 'x-policy', values: ['"one"', '"two"'], operation: 'APPEND' },
    ],
  }),
];

/** No workload has the label, so that only the handler decides by it. */
const AUTHORIZATION: readonly Manifest[] = [
  {
    apiVersion: 'security.mesh.internal/v1beta1',
    kind: 'AuthorizationPolicy',
    metadata: { name: 'readers', namespace: 'default' },
    spec: {
      selector: { matchLabels: { decides: 'rules' } },
      rules: [{ to: [{ operation: { methods: ['GET'] } }] }],
    },
  },
];

/** A quota of two calls, and a rule that refuses all of them. */
const tried = (dryRun: boolean): readonly Manifest[] => [
  ...boundQuotaSpec({ name: 'tried' }, ['tried'], [{ quotas: [{ quota: 'tried', charge: 1 }] }]).map((each) =>
    each['kind'] === 'QuotaSpec' ? { ...each, spec: { ...(each['spec'] as object), dryRun } } : each,
  ),
  policyManifest('rule', 'e-tried', {
    match: `${matchOf('tried')} && request.headers["x-rule"] == "yes"`,
    actions: [{ handler: 'move', instances: ['anything'] }],
    dryRun,
  }),
];

test.before(async (t) => {
  if (available === undefined) return;
  t.context.policy = await createPolicyMesh(available, {
    services: ['tagged', 'replaced', 'guarded', 'tried'],
    specs: { 'rules.yaml': RULES, 'authorization.yaml': AUTHORIZATION, 'tried.yaml': tried(true) },
    limits: [{ name: 'tried', maxAmount: 2 }],
  });
});

/** Counters of what the check filters of the inbound listeners decided. */
const CHECK_DECISION = /^http\.inbound_.*\.ext_authz\.policy\.(ok|denied|error)$/;

interface Echoed {
  readonly answer: HttpAnswer;
  /** The request as the application got it. */
  readonly headers: Readonly<Record<string, string>>;
}

async function ask(
  policy: PolicyMesh,
  service: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Echoed> {
  const [answer] = await policy.send(service, 1, { headers });
  if (answer?.status !== 200) throw new Error(`${service} answered ${answer?.status} ${answer?.body}`);
  return { answer, headers: JSON.parse(answer.body).headers };
}

/** Rules change headers in the same way over both protocols. */
async function assertActions(t: ExecutionContext, policy: PolicyMesh): Promise<void> {
  const sent = { 'x-tier': 'forged', 'x-list': 'caller', 'x-secret': 's', 'x-account': 'ann' };
  const tagged = await ask(policy, 'tagged', sent);
  t.is(tagged.headers['x-tier'], 'ann');
  t.is(tagged.headers['x-list'], 'caller,rule,GET');
  t.is(tagged.headers['x-secret'], undefined);
  t.is(Buffer.from(tagged.headers['x-name'] ?? '', 'latin1').toString(), 'zoë');
  t.is(tagged.answer.headers['x-policy'], 'seen');
  t.is((await ask(policy, 'tagged', { 'x-tier': 'forged' })).headers['x-tier'], 'none');
  const { headers } = await ask(policy, 'tagged');
  t.is(headers['x-list'], 'rule,GET');
  t.deepEqual(
    Object.keys(headers).filter((name) => name.startsWith('x-mesh') || name.startsWith('x-envoy-auth')),
    [],
  );
}

interface CheckCounts {
  readonly all: number;
  readonly overHttp: number;
}

/** The Checks that the sidecar of the server has sent. */
async function checksOf({ server }: PolicyMesh): Promise<CheckCounts> {
  const decisions = [...(await server.envoy.stats())].filter(([name]) => CHECK_DECISION.test(name));
  return {
    all: decisions.reduce((sum, [, count]) => sum + count, 0),
    // Calls to the cluster for gRPC are not counted, because streams of access logs are among them.
    overHttp: await server.envoy.stat('cluster.policy_check_server.upstream_rq_total'),
  };
}

/** The Checks that `work` causes. */
async function checksIn(policy: PolicyMesh, work: () => Promise<void>): Promise<CheckCounts> {
  const before = await checksOf(policy);
  await work();
  const after = await checksOf(policy);
  return { all: after.all - before.all, overHttp: after.overHttp - before.overHttp };
}

/** The decisions of rules about the service `guarded`. */
async function assertRefusals(t: ExecutionContext, policy: PolicyMesh): Promise<void> {
  const send = async (request: Parameters<PolicyMesh['send']>[2]) => {
    const [answer] = await policy.send('guarded', 1, request);
    return answer as HttpAnswer;
  };
  t.is((await send({})).status, 200);
  t.like(await send({ method: 'POST' }), { status: 403, body: 'access denied' });
  const closed = await send({ path: '/closed' });
  t.like(closed, { status: 500, body: 'closed for today' });
  t.is(closed.headers['x-reason'], 'holiday');
}

/** Six requests. */
async function assertRules(t: ExecutionContext, policy: PolicyMesh): Promise<void> {
  await assertActions(t, policy);
  await assertRefusals(t, policy);
}

e2eTest('rules change headers and refuse over HTTP/1.1', async (t) => {
  const policy = policyOf(t.context);
  await eventually('the rules are in force', async () => (await ask(policy, 'tagged')).headers['x-tier'] === 'none');
  t.deepEqual(await checksIn(policy, () => assertRules(t, policy)), { all: 6, overHttp: 6 });
});

e2eTest('rules that replace headers of responses move the checks of their namespace to gRPC', async (t) => {
  const policy = policyOf(t.context);
  await policy.mesh.discovery.configFolder.write('replacing.yaml', REPLACING);
  const replaced = () => ask(policy, 'replaced', { 'x-tier': 'forged' });
  await eventually('the header is replaced', async () => (await replaced()).answer.headers['x-served-by'] === 'a rule');
  const { answer, headers } = await replaced();
  t.is(headers['x-tier'], 'gold');
  t.is(answer.headers['x-policy'], 'one, two');

  t.deepEqual(await checksIn(policy, () => assertRules(t, policy)), { all: 6, overHttp: 0 });
});

e2eTest('a dry run lets all requests pass and counts what it would refuse, until it ends', async (t) => {
  const policy = policyOf(t.context);
  const { discovery } = policy.mesh;
  const refusals = (by: string, name: string) => discovery.metric('policy_server_dry_run_refusals_total', { by, name });
  t.deepEqual(countStatuses(await policy.send('tried', 5)), { 200: 5 });
  t.deepEqual(countStatuses(await policy.send('tried', 2, { headers: { 'x-rule': 'yes' } })), { 200: 2 });
  t.is(await refusals('quota', 'tried'), 5);
  t.is(await refusals('rule', 'rule/default/e-tried'), 2);

  await discovery.configFolder.write('tried.yaml', tried(false));
  await eventually('the rule refuses', async () => {
    const statuses = countStatuses(await policy.send('tried', 1, { headers: { 'x-rule': 'yes' } }));
    return statuses[500] === 1;
  });
  t.deepEqual(countStatuses(await policy.send('tried', 5)), { 200: 2, 429: 3 });
});
