import { createHash } from 'node:crypto';
import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { startServer } from '../bootstrap/support/running-server.js';
import { eventually } from '../support/eventually.js';
import { writeWhole } from '../support/write-whole.js';
import { runCommandLine } from './run-command.js';

const POLICY = 'config.mesh.internal/v1alpha2';
const MESH = `
apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop}
spec: {clusterIP: 10.96.0.1, selector: {app: web}, ports: [{name: http, port: 80, targetPort: 8080}]}
---
apiVersion: v1
kind: Endpoints
metadata: {name: web, namespace: shop}
subsets: [{addresses: [{ip: 10.0.0.7, targetRef: {kind: Pod, name: web-1, namespace: shop}}], ports: [{name: http, port: 8080}]}]
---
apiVersion: v1
kind: Pod
metadata: {name: web-1, namespace: shop, labels: {app: web}}
spec: {}
status: {podIP: 10.0.0.7, phase: Running}
---
apiVersion: v1
kind: Service
metadata: {name: empty, namespace: shop}
spec: {clusterIP: 10.96.0.2, ports: [{name: http, port: 80}]}
---
apiVersion: ${POLICY}
kind: HTTPAPISpec
metadata: {name: books, namespace: shop}
spec:
  patterns: [{httpMethod: GET, uriTemplate: '/books/{id}', attributes: {attributes: {api.operation: {stringValue: getBook}}}}]
  apiKeys: [{header: x-api-key}]
---
apiVersion: ${POLICY}
kind: HTTPAPISpecBinding
metadata: {name: books, namespace: shop}
spec: {services: [{name: web}], apiSpecs: [{name: books}]}
---
apiVersion: ${POLICY}
kind: QuotaSpec
metadata: {name: reads, namespace: shop}
spec: {rules: [{match: [{clause: {api.operation: {exact: getBook}}}], quotas: [{quota: reads, charge: 2}]}]}
---
apiVersion: ${POLICY}
kind: QuotaSpec
metadata: {name: writes, namespace: shop}
spec: {rules: [{match: [{clause: {request.method: {exact: POST}}}], quotas: [{quota: writes}]}]}
---
apiVersion: ${POLICY}
kind: QuotaSpecBinding
metadata: {name: all, namespace: shop}
spec: {services: [{name: web}], quotaSpecs: [{name: reads}, {name: writes}]}
---
apiVersion: security.mesh.internal/v1beta1
kind: AuthorizationPolicy
metadata: {name: readers, namespace: shop}
spec: {selector: {matchLabels: {app: web}}, action: ALLOW, rules: [{to: [{operation: {methods: [GET]}}]}]}
`;
const MESH_CONFIG = 'mixerCheckServer: embedded\ndisablePolicyChecks: false\npolicyCheckFailOpen: false\n';
const LIMITS = `
quotas:
- name: reads
  maxAmount: 10
  validDuration: 60s
  dimensions: [request.api_key]
  overrides: [{dimensions: {request.api_key: gold}, maxAmount: 1000}]
`;

async function filesOf(t: ExecutionContext) {
  const folder = await mkdtemp(join(tmpdir(), 'policy-why-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const files = { 'mesh.yaml': MESH, 'mesh-config.yaml': MESH_CONFIG, 'limits.yaml': LIMITS };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return {
    objects: join(folder, 'mesh.yaml'),
    settings: ['--meshConfig', join(folder, 'mesh-config.yaml'), '--policyConfig', join(folder, 'limits.yaml')],
  };
}

interface Explained {
  readonly service: Record<string, unknown> & { quotas: { charges: object[]; unmatched: string[] } };
  readonly answers: readonly { status: number | string; certainty: string; because: string; objects: string[] }[];
}

test('policy why names the operation, the key, the charges with their limits, and every answer with its objects', async (t) => {
  const { objects, settings } = await filesOf(t);
  const argv = ['policy', 'why', 'GET', 'http://web.shop/books/7', objects, ...settings, '-H', 'X-Api-Key: gold'];
  const { code, stdout, stderr } = await runCommandLine([...argv, '-o', 'json']);
  t.is(code, 0, stderr);
  const { service, answers } = JSON.parse(stdout) as Explained;
  t.is(service['hostname'], 'web.shop.svc.cluster.local');
  t.deepEqual(service['endpoints'], { healthy: 1, all: 1 });
  t.is(service['apiKey'], 'gold');
  t.like(service['operation'], { 'api.operation': 'getBook' });
  t.deepEqual(service.quotas.charges, [
    {
      quota: 'reads',
      charge: 2,
      object: 'QuotaSpec/shop/reads',
      countedBy: [],
      limit: { maxAmount: 1000, validDurationMs: 60_000, counter: { 'request.api_key': 'gold' }, isOverride: true },
    },
  ]);
  t.deepEqual(service.quotas.unmatched, ['QuotaSpec/shop/writes']);
  t.deepEqual(
    answers.map(({ status, objects: named }) => [status, ...named]),
    [[429, 'QuotaSpec/shop/reads'], [503], [200]],
  );
  t.is(
    answers[0]?.because,
    'quota reads is exhausted; this request charges 2 of 1000 in 60 s for request.api_key "gold" (an override)',
  );

  const text = await runCommandLine([...argv, '--attributes']);
  t.true(
    text.stdout.startsWith(
      'GET http://web.shop/books/7\n\nservice        web.shop.svc.cluster.local (Service/shop/web)\n',
    ),
    text.stdout,
  );
  t.regex(text.stdout, /\nauthorization +ALLOW AuthorizationPolicy\/shop\/readers: rule 1 matches\n/);
  t.regex(text.stdout, /\noperation {6}api\.operation=getBook/);
  t.regex(text.stdout, /\nrequest\.api_key +gold\n/);
});

const PLANS = `
---
apiVersion: ${POLICY}
kind: Plan
metadata: {name: readers, namespace: shop}
spec:
  services: [{name: web}]
  match: [{clause: {request.method: {exact: GET}}}]
  limits: [{name: burst, requests: 5, per: minute, of: key}, {name: month, requests: 100, per: month}]
---
apiVersion: ${POLICY}
kind: Consumer
metadata: {name: acme, namespace: shop}
spec: {plan: {name: readers}, keys: [{sha256: ${createHash('sha256').update('gold').digest('hex')}}]}
---
apiVersion: ${POLICY}
kind: QuotaSpec
metadata: {name: of-acme, namespace: shop}
spec: {rules: [{match: [{clause: {api.consumer: {exact: shop/acme}}}], quotas: [{quota: acme}]}]}
---
apiVersion: ${POLICY}
kind: QuotaSpecBinding
metadata: {name: of-acme, namespace: shop}
spec: {services: [{name: web}], quotaSpecs: [{name: of-acme}]}
`;

test('policy why finds the plan of a request by its key, and names limits or the refusal of the plan', async (t) => {
  const { objects, settings } = await filesOf(t);
  await appendFile(objects, PLANS);
  const why = async (...request: readonly string[]) => {
    const { stdout } = await runCommandLine(['policy', 'why', ...request, objects, ...settings, '-o', 'json']);
    const { service, answers } = JSON.parse(stdout) as Explained;
    return { plans: service['plans'], answers: answers.map(({ status, because }) => `${status} ${because}`) };
  };
  const gold = await why('GET', 'http://web.shop/books/7', '-H', 'X-Api-Key: gold');
  t.like(gold.plans, { verdict: 'admitted', plan: 'Plan/shop/readers', consumer: 'shop/acme' });
  t.deepEqual(
    gold.answers.filter((answer) => answer.startsWith('429')).map((answer) => answer.split(';')[0]),
    [
      '429 limit burst of the plan is reached: 5 requests per minute for each key',
      '429 limit month of the plan is reached: 100 requests per month for each consumer',
      '429 quota acme is exhausted',
      '429 quota reads is exhausted',
    ],
  );
  const none = await why('GET', 'http://web.shop/books/7');
  t.deepEqual(none.answers, ['401 the request has no API key, and no plan of the service allows that']);
  const unknown = await why('GET', 'http://web.shop/books/7', '-H', 'X-Api-Key: guess');
  t.deepEqual(unknown.answers, ['401 no consumer of the plans has the API key of the request']);
});

/** The parts of a rule that refuses all requests. */
const DENIER = `
---
apiVersion: ${POLICY}
kind: handler
metadata: {name: closed, namespace: shop}
spec: {compiledAdapter: denier, params: {status: {code: 16, message: sign in}}}
---
apiVersion: ${POLICY}
kind: instance
metadata: {name: any, namespace: shop}
spec: {compiledTemplate: checknothing}
`;

const RULES = `${DENIER}---
apiVersion: ${POLICY}
kind: handler
metadata: {name: friends, namespace: shop}
spec: {compiledAdapter: listchecker, params: {overrides: [ada]}}
---
apiVersion: ${POLICY}
kind: handler
metadata: {name: counter, namespace: shop}
spec: {compiledAdapter: memquota, params: {quotas: [{name: reads, maxAmount: 3, validDuration: 1s}]}}
---
apiVersion: ${POLICY}
kind: instance
metadata: {name: user, namespace: shop}
spec: {compiledTemplate: listentry, params: {value: 'request.headers["x-user"]'}}
---
apiVersion: ${POLICY}
kind: instance
metadata: {name: reads, namespace: shop}
spec: {compiledTemplate: quota, params: {dimensions: {user: 'request.headers["x-user"]'}}}
---
apiVersion: ${POLICY}
kind: rule
metadata: {name: closed, namespace: shop}
spec: {match: 'request.path == "/books/closed"', actions: [{handler: closed, instances: [any]}]}
---
apiVersion: ${POLICY}
kind: rule
metadata: {name: friends, namespace: shop}
spec: {match: 'context.reporter.kind == "inbound"', actions: [{handler: friends, instances: [user]}]}
---
apiVersion: ${POLICY}
kind: rule
metadata: {name: reads, namespace: shop}
spec: {match: 'source.namespace == "web"', actions: [{handler: counter, instances: [reads]}]}
`;

interface Ruled {
  readonly service: {
    readonly rules: { readonly matching: readonly { object: string; open?: string }[]; readonly unmatched: object[] };
  };
  readonly answers: Explained['answers'];
}

test('policy why shows which rules match, what their handlers decide, and which handler has the limit of a quota', async (t) => {
  const { objects, settings } = await filesOf(t);
  await writeFile(objects, MESH + RULES);
  const ask = async (path: string, user: string) => {
    const argv = ['policy', 'why', 'GET', `http://web.shop${path}`, objects, ...settings.slice(0, 2)];
    const { code, stdout } = await runCommandLine([...argv, '-H', `x-user: ${user}`, '-o', 'json']);
    return { code, ...(JSON.parse(stdout) as Ruled) };
  };
  const closed = await ask('/books/closed', 'ada');
  t.is(closed.code, 2);
  t.deepEqual(closed.answers, [
    {
      status: 401,
      certainty: 'certain',
      because: 'a rule refuses the request: UNAUTHENTICATED: sign in',
      objects: ['rule/shop/closed', 'handler/shop/closed', 'instance/shop/any'],
    },
  ]);
  const stranger = await ask('/books/7', 'eve');
  t.like(stranger.answers, [
    { status: 404, certainty: 'certain', because: 'a rule refuses the request: NOT_FOUND: eve is not whitelisted' },
  ]);
  t.deepEqual(stranger.service.rules.unmatched, [
    { object: 'rule/shop/closed', match: 'request.path == "/books/closed"' },
  ]);

  const friend = await ask('/books/7', 'ada');
  t.is(friend.code, 0);
  t.like(friend.answers[0], {
    status: 429,
    because: 'quota reads is exhausted; this request charges 2; handler/shop/counter grants 3 in 1 s for user "ada"',
    objects: ['QuotaSpec/shop/reads', 'handler/shop/counter'],
  });
  t.like(friend.service.rules.matching, [
    { object: 'rule/shop/friends' },
    { object: 'rule/shop/reads', open: 'the request has no source.namespace: write a default, source.namespace | …' },
  ]);
  const text = await runCommandLine(['policy', 'why', 'GET', 'http://web.shop/books/7', objects, '-H', 'x-user: ada']);
  t.regex(
    text.stdout,
    /\nrules +rule\/shop\/friends: check by handler\/shop\/friends \(200 OK\), rule\/shop\/reads if the request has no/,
  );
});

test('policy why tells the headers that rules change, with their values as far as they are known', async (t) => {
  const { objects, settings } = await filesOf(t);
  const rule = `
apiVersion: ${POLICY}
kind: rule
metadata: {name: tags, namespace: shop}
spec:
  requestHeaderOperations:
  - {name: X-User, values: ['request.headers["x-user"] | "none"']}
  - {name: x-from, values: [source.principal], operation: APPEND}
  - {name: x-debug, operation: REMOVE}
`;
  await writeFile(objects, `${MESH}---${rule}`);
  const { stdout } = await runCommandLine([
    ...['policy', 'why', 'GET', 'http://web.shop/books/7', objects, ...settings.slice(0, 2), '-H', 'x-user: ada'],
  ]);
  t.regex(
    stdout,
    /rule\/shop\/tags: sets the request header x-user to "ada" and appends \(.*source.principal.*\) to the/,
  );
  t.regex(stdout, /and removes the request header x-debug/);
});

test('policy why tells what a dry run would refuse, and that the request passes', async (t) => {
  const { objects, settings } = await filesOf(t);
  const denying = `
---
apiVersion: ${POLICY}
kind: rule
metadata: {name: trial, namespace: shop}
spec: {dryRun: true, actions: [{handler: closed, instances: [any]}]}
`;
  const trial = MESH.replace(
    'spec: {rules: [{match: [{clause: {api.operation',
    'spec: {dryRun: true, rules: [{match: [{clause: {api.operation',
  );
  await writeFile(objects, trial + DENIER + denying);
  const argv = ['policy', 'why', 'GET', 'http://web.shop/books/7', objects, ...settings];
  const { stdout, code } = await runCommandLine([...argv, '-o', 'json']);
  t.is(code, 0);
  const { answers, dryRun } = JSON.parse(stdout) as Record<'answers' | 'dryRun', readonly { status: number }[]>;
  t.deepEqual(
    [answers.map(({ status }) => status), dryRun.map(({ status }) => status)],
    [
      [503, 200],
      [401, 429],
    ],
  );
  const text = (await runCommandLine(argv)).stdout;
  t.regex(text, /reads 2 by QuotaSpec\/shop\/reads \(dry run\)/);
  t.regex(text, /rule\/shop\/trial \(dry run\): check by/);
  t.regex(text, /WOULD REFUSE \(DRY RUN\)[\s\S]*401 +always: a rule refuses the request: UNAUTHENTICATED: sign in/);
});

test('policy why ends with 2 when the request is always refused: no endpoint, or a caller without a certificate', async (t) => {
  const { objects } = await filesOf(t);
  const empty = await runCommandLine(['policy', 'why', 'GET', 'http://empty/', objects, '-o', 'json']);
  t.is(empty.code, 2);
  const [first] = (JSON.parse(empty.stdout) as Explained).answers;
  t.like(first, { status: 503, certainty: 'certain', objects: ['Service/shop/empty'] });
  t.regex(first?.because ?? '', /no endpoint/);

  const unknown = await runCommandLine(['policy', 'why', 'GET', 'http://other.example.com/', objects]);
  t.is(unknown.code, 0);
  t.regex(unknown.stdout, /the mesh has no service for this host/);
});

test('policy why explains with the objects and the mesh config of a running server', async (t) => {
  const server = await startServer(t, { files: { 'mesh.yaml': MESH + RULES } });
  const address = ['--address', `127.0.0.1:${server.monitoringPort}`, '-o', 'json'];
  const { stdout, stderr } = await runCommandLine(['policy', 'why', 'post', 'web.shop/books/7', ...address]);
  t.is(stderr, '');
  const { service, answers } = JSON.parse(stdout) as Explained;
  t.like(service.quotas.charges[0], { quota: 'writes', object: 'QuotaSpec/shop/writes' });
  t.like(service, { rules: { unmatched: [{ object: 'rule/shop/closed' }] } });
  // Checks are off in the default mesh config, so no quota refuses.
  t.deepEqual(
    answers.map(({ status }) => status),
    [403],
  );
});

test('policy why takes the limits from a running server, unless --policyConfig names others', async (t) => {
  const { settings } = await filesOf(t);
  const server = await startServer(t, { files: { 'mesh.yaml': MESH } });
  await writeWhole(server.meshConfigFile, MESH_CONFIG);
  await writeWhole(server.policyConfigFile, LIMITS.replace('1000', '2000'));
  const argv = ['policy', 'why', 'GET', 'web.shop/books/7', '-H', 'X-Api-Key: gold', '-o', 'json'];
  const limitsOf = async (...more: readonly string[]) => {
    const address = ['--address', `127.0.0.1:${server.monitoringPort}`];
    const { stdout } = await runCommandLine([...argv, ...address, ...more]);
    return JSON.stringify((JSON.parse(stdout) as Explained).service.quotas.charges);
  };
  const ofServer = await eventually('the limits are in force', async () => {
    const limits = await limitsOf();
    return limits.includes('maxAmount') && limits;
  });
  t.regex(ofServer, /"maxAmount":2000,.*"counter":\{"request.api_key":"sha256:[0-9a-f]{12}"\}/);
  t.regex(await limitsOf(...settings.slice(2)), /"maxAmount":1000,/);
});

test('policy why refuses what is no request, and tells the form', async (t) => {
  const { objects } = await filesOf(t);
  const tell = async (...argv: readonly string[]) => (await runCommandLine(['policy', ...argv])).stderr;
  t.regex(await tell('why', 'GET'), /policy needs why <method> <url>/);
  t.regex(await tell('why', 'GET', 'http://[', objects), /"http:\/\/\[" is not a URL/);
  t.regex(await tell('why', 'GET', 'http://web/', objects, '-H', 'x'), /header "x" must have the form "Name: value"/);
  t.regex(
    await tell('why', 'GET', 'http://web/', objects, '--from', 'web'),
    /--from must be <namespace>\/<service account>/,
  );
  t.regex(await tell('why', 'GET', 'http://web/', objects, '--cluster'), /takes either files, or a server or cluster/);
});
