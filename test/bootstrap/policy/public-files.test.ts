import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { readObjects } from '../../config/support/read-yaml.js';
import { projectRoot } from '../../counterparts/project-root.js';
import { createAdapterRig } from '../../policy/rules/adapters/adapter-rig.js';
import { createTempFolder } from '../../sources/support/temp-folder.js';
import { eventually } from '../../support/eventually.js';
import { createFakeClock } from '../../support/fake-clock.js';
import { redisAddress } from '../../support/redis-store.js';
import { redisTests } from '../../support/redis-tests.js';
import type { Teardown } from '../support/cleanup.js';
import { documents } from '../support/manifests.js';
import { connectPolicyClient } from '../support/policy-client.js';
import { type RunningServer, startServer } from '../support/running-server.js';

const { test, redisTest } = redisTests();

/** The root namespace is that of the files. */
const MESH = [
  'rootNamespace: istio-system',
  'mixerCheckServer: embedded',
  'mixerReportServer: embedded',
  'disablePolicyChecks: false',
  'disableMixerHttpReports: false',
].join('\n');
const PUBLIC_GROUP = /config\.istio\.io\//g;

const FILES = ['attributes', 'denials-and-lists', 'access-control', 'rate-limits', 'metrics-and-logs'] as const;

/** A file as users of the public kinds had it, with nothing but its group changed. */
function publicFile(name: string): string {
  const path = join(projectRoot(), 'test/bootstrap/policy/public-files', `${name}.yaml`);
  return readFileSync(path, 'utf8').replace(PUBLIC_GROUP, 'config.mesh.internal/');
}

const APPS = ['productpage', 'reviews', 'ratings', 'details', 'guarded'] as const;
const hostOf = (app: string): string => `${app}.default.svc.cluster.local`;

/** Service and workload of an app, in namespace default. */
function app(name: string, index: number): string {
  const metadata = { name, namespace: 'default' };
  const ports = [{ name: 'http', port: 9080 }];
  return documents(
    JSON.stringify({ apiVersion: 'v1', kind: 'Service', metadata, spec: { clusterIP: `10.96.1.${index + 1}`, ports } }),
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Endpoints',
      metadata,
      subsets: [{ addresses: [{ ip: `10.57.1.${index + 1}` }], ports }],
    }),
  );
}

async function startWith(t: Teardown, files: Readonly<Record<string, string>>): Promise<RunningServer> {
  const folder = await createTempFolder();
  t.teardown(() => folder.dispose());
  // The root namespace counts from the start.
  await writeFile(join(dirname(folder.path), 'mesh.yaml'), MESH);
  return startServer(t, {
    folder,
    files: { 'apps.yaml': documents(...APPS.map(app)), ...files },
    variables: { NAV_EGRESS_ALLOWED: '127.0.0.0/8' },
  });
}

const problemsOf = async ({ http }: RunningServer): Promise<readonly string[]> =>
  (await http.json<{ code?: string; object?: string; field?: string; reason: string }[]>('/debug/config_problems')).map(
    ({ code = '', reason }) => `${code} ${reason}`.trim(),
  );

test('files of the public kinds apply with their group changed, and decide about requests', async (t) => {
  const server = await startWith(t, Object.fromEntries(FILES.map((name) => [`${name}.yaml`, publicFile(name)])));
  const { ask } = connectPolicyClient(t, server.policyPort);
  const details = { labels: { app: 'details' } };
  await eventually('rules are in force', async () => (await ask(hostOf('details'), details)) === 404);
  // The analysis of a snapshot ends after the snapshot is in force.
  const told = await eventually('the analysis has ended', async () => {
    const codes = new Set((await problemsOf(server)).map((text) => text.slice(0, 8)));
    return codes.has('MESH0284') && codes;
  });
  t.deepEqual([...told].sort(), ['MESH0274', 'MESH0284'], 'fields without an effect, and source.labels');
  t.is(await ask(hostOf('details'), { ...details, headers: { 'x-version': 'v2' } }), 200, 'a listed version');
  const gateway = { labels: { app: 'ingressgateway' } };
  t.is(await ask(hostOf('ratings'), { ...gateway, address: '10.57.3.4' }), 200, 'a listed address');
  t.is(await ask(hostOf('ratings'), { ...gateway, address: '10.58.3.4' }), 404, 'another address');

  const codes = async (count: number, ...wanted: Parameters<typeof ask>) => {
    const answers: number[] = [];
    for (let index = 0; index < count; index += 1) answers.push(await ask(...wanted));
    return answers;
  };
  t.deepEqual(await codes(6, hostOf('productpage')), [200, 200, 200, 200, 200, 429]);
  t.deepEqual(await codes(2, hostOf('reviews'), { labels: { app: 'reviews' } }), [200, 429], 'the first override');
  const limited = { labels: { app: 'productpage' }, headers: { 'x-forwarded-for': '10.28.11.20' } };
  t.deepEqual(await codes(4, hostOf('productpage'), limited), [200, 200, 200, 429], 'the second override');
  const session = { headers: { cookie: 'session=1' } };
  t.deepEqual(await codes(7, hostOf('productpage'), session), Array(7).fill(200), 'callers that are not limited');
});

redisTest('the limits of a public file with redisquota are counted in Redis', async (t) => {
  const { host, port } = redisAddress(t.context.redis);
  const limits = publicFile('rate-limits').replace('handler: quotahandler', 'handler: redishandler');
  const server = await startWith(t, {
    'limits.yaml': limits,
    'redis.yaml': publicFile('rate-limits-redis').replace('redisServerUrl: REDIS', `redisServerUrl: ${host}:${port}`),
  });
  const { ask } = connectPolicyClient(t, server.policyPort);
  const asked = (name: string) => ask(hostOf(name), { labels: { app: name } });
  await eventually('Redis counts', async () => (await asked('reviews')) === 429);
  const codes = await Promise.all(Array.from({ length: 12 }, () => asked('productpage')));
  t.deepEqual([codes.filter((code) => code === 200).length, codes.filter((code) => code === 429).length], [5, 7]);
});

test('metrics, log entries and spans of a public file are made of the requests that end', (t) => {
  const clock = createFakeClock();
  const lines: string[] = [];
  const rig = createAdapterRig(clock, [], { writeLine: (_stream, line) => lines.push(line) });
  const objects = readObjects(documents(publicFile('attributes'), publicFile('metrics-and-logs')));
  rig.applyObjects(objects, { rootNamespace: 'istio-system' });
  t.deepEqual([...rig.handler.failures()], []);
  rig.report({
    'context.protocol': 'http',
    'destination.service.name': 'reviews',
    'source.user': 'cluster.local/ns/default/sa/productpage',
    'request.time': { type: 'timestamp', value: 1_600_000_000_000_000_000n },
    'response.code': { type: 'int64', value: 200n },
    'response.duration': { type: 'duration', value: 5_000_000n },
  });
  clock.advance(100);
  const series = rig.handlerSeries().join('\n');
  const labels = 'reporter="server",source="unknown",destination="reviews",message="twice the fun!"';
  t.true(series.includes(`mesh_double_request_count{mesh_handler="istio-system/doublehandler",${labels}} 2`), series);
  t.true(series.includes('mesh_double_request_sizes_sum{mesh_handler="istio-system/doublehandler"} 2'), series);
  t.like(JSON.parse(lines[0] ?? ''), {
    level: 'warning',
    user: 'cluster.local/ns/default/sa/productpage',
    destination: 'unknown',
    responseCode: 200,
  });
});

test('kinds and fields of public files that do not apply get a message with the replacement', async (t) => {
  const server = await startWith(t, { 'older.yaml': publicFile('older-kinds') });
  const said = async () => (await problemsOf(server)).join('\n');
  for (const message of [
    'kind: "denier": is not a kind of config.mesh.internal; write kind handler with spec.compiledAdapter: denier',
    'kind: "checknothing": is not a kind of config.mesh.internal; write kind instance with spec.compiledTemplate: checknothing',
    'kind: "listentry": is not a kind of config.mesh.internal; write kind instance with spec.compiledTemplate: listentry',
    'spec.compiledAdapter: "zipkin": is not a built-in adapter',
    'spec.compiled_adapter: "noop": is not a known field; did you mean compiledAdapter?',
  ]) {
    await eventually(message, async () => (await said()).includes(message));
  }
  t.pass();
});
