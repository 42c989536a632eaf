import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { startServer } from '../bootstrap/support/running-server.js';
import { eventually } from '../support/eventually.js';
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
  const server = await startServer(t, { files: { 'mesh.yaml': MESH } });
  const address = ['--address', `127.0.0.1:${server.monitoringPort}`, '-o', 'json'];
  const { stdout, stderr } = await runCommandLine(['policy', 'why', 'post', 'web.shop/books/7', ...address]);
  t.is(stderr, '');
  const { service, answers } = JSON.parse(stdout) as Explained;
  t.like(service.quotas.charges[0], { quota: 'writes', object: 'QuotaSpec/shop/writes' });
  // Checks are off in the default mesh config, so no quota refuses.
  t.deepEqual(
    answers.map(({ status }) => status),
    [403],
  );
});

test('policy why takes the limits from a running server, unless --policyConfig names others', async (t) => {
  const { settings } = await filesOf(t);
  const server = await startServer(t, { files: { 'mesh.yaml': MESH } });
  await writeFile(server.meshConfigFile, MESH_CONFIG);
  await writeFile(server.policyConfigFile, LIMITS.replace('1000', '2000'));
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
  t.regex(ofServer, /"maxAmount":2000,.*"counter":\{"request.api_key":"gold"\}/);
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
