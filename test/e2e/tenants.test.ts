import anyTest, { type ExecutionContext, type TestFn } from 'ava';
import type { HttpAnswer, HttpRequest } from '../counterparts/agent/calls.js';
import { type Cluster, startCluster } from '../counterparts/kubernetes/cluster.js';
import { requireCluster } from '../counterparts/kubernetes/find-cluster.js';
import { meshService, meshWorkload } from '../counterparts/kubernetes/mesh-workload.js';
import type { ManagedProcess } from '../counterparts/managed-process.js';
import { boundQuotaSpec } from '../counterparts/policy-manifests.js';
import { eventually } from '../support/eventually.js';
import {
  type ClusterMesh,
  installShop,
  listOf,
  PATIENT,
  rejectionsIn,
  rolledOut,
  servicesAnswer,
  statusesOf,
} from './cluster-mesh.js';
import { BESIDE, startDiscoveryBeside } from './discovery-beside.js';

interface Context extends ClusterMesh {
  discovery: ManagedProcess;
  /** Address of the pod of the hostile tenant. */
  thief: string;
  /** Cluster IPs of the victim's Services. */
  web: string;
  raw: string;
}

const { available } = requireCluster();
const test = anyTest as TestFn<Partial<Context>>;
const e2eTest = available === undefined ? test.serial.skip : test.serial;

const EVIL = ['--namespace', 'evil'];
/** Requests of each kind, each on a new connection. */
const REQUESTS = 10;

/** A Service of web whose port is TCP for the mesh. */
const RAW = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'raw', namespace: 'shop' },
  spec: { selector: { app: 'web' }, ports: [{ name: 'tcp', port: 9000, targetPort: 8081 }] },
};

test.before(async (t) => {
  if (available === undefined) return;
  const cluster = await startCluster(available);
  t.context.cluster = cluster;
  t.context.discovery = await startDiscoveryBeside(cluster, [{ name: 'none', maxAmount: 0, validDuration: '1h' }]);
  t.context.client = await installShop(cluster, BESIDE);
  await cluster.kubectl(['create', 'namespace', 'evil']);
  const objects = [
    RAW,
    meshWorkload({ name: 'thief', namespace: 'evil', replicas: 1, discovery: BESIDE }),
    meshService({ name: 'thief', namespace: 'evil', workload: 'thief', targetPort: 8080 }),
  ];
  await cluster.kubectl(['apply', '-f', '-'], listOf(objects));
  await rolledOut(cluster, 'evil', 'thief');
  const field = (path: string): readonly string[] => ['-o', `jsonpath={${path}}`];
  t.context.thief = await cluster.kubectl([...EVIL, 'get', 'pods', ...field('.items[0].status.podIP')]);
  t.context.web = await cluster.kubectl(['-n', 'shop', 'get', 'service', 'web', ...field('.spec.clusterIP')]);
  t.context.raw = await cluster.kubectl(['-n', 'shop', 'get', 'service', 'raw', ...field('.spec.clusterIP')]);
});

test.after.always(async (t) => {
  await t.context.client?.stop();
  await t.context.discovery?.stop();
  await t.context.cluster?.close();
});

/** Parts that have started. */
function started({ context }: ExecutionContext<Partial<Context>>): Context {
  if (context.discovery === undefined || context.thief === undefined) throw new Error('nothing has started');
  return context as Context;
}

/** A ServiceEntry of the hostile tenant that leads to its pod, and is exported to all. */
function entry(thief: string, name: string, spec: object, port: object): object {
  return {
    apiVersion: 'networking.mesh.internal/v1beta1',
    kind: 'ServiceEntry',
    metadata: { name, namespace: 'evil' },
    spec: {
      location: 'MESH_EXTERNAL',
      resolution: 'STATIC',
      ports: [{ name: 'port', targetPort: 8080, ...port }],
      endpoints: [{ address: thief }],
      ...spec,
    },
  };
}

const HTTP = { number: 80, protocol: 'HTTP' };
const TCP_80 = { number: 80, protocol: 'TCP' };
const TCP_9000 = { number: 9000, protocol: 'TCP' };

/** Every way to take the traffic of another namespace that the product was attacked with. */
function hostileEntries({ thief, web, raw }: Context): readonly object[] {
  const at = (name: string, addresses: readonly string[], port: object): object =>
    entry(thief, name, { hosts: [`${name}.example.com`], addresses }, port);
  return [
    at('everything-80', ['0.0.0.0/1', '128.0.0.0/1'], TCP_80),
    at('everything-9000', ['0.0.0.0/1', '128.0.0.0/1'], TCP_9000),
    at('range-80', [`${web}/24`], TCP_80),
    at('range-9000', [`${raw}/24`], TCP_9000),
    at('address-80', [web], TCP_80),
    at('address-http', [web], HTTP),
    at('address-9000', [raw], TCP_9000),
    at('port-9000', [], TCP_9000),
    entry(thief, 'host', { hosts: ['web.shop.svc.cluster.local'] }, HTTP),
    entry(thief, 'short-hosts', { hosts: ['web', 'web.shop', 'web.shop.svc'] }, HTTP),
    entry(
      thief,
      'wildcards',
      { hosts: ['*.svc.cluster.local', '*.shop.svc.cluster.local', '*.shop', '*.local'] },
      HTTP,
    ),
    entry(thief, 'later', { hosts: ['later.shop.svc.cluster.local', 'later.shop', 'later'] }, HTTP),
  ];
}

/** The pods that answered, each once, and all statuses other than 200. */
async function servedBy({ client }: Context, requests: readonly HttpRequest[]): Promise<readonly string[]> {
  const many = requests.flatMap((request) => Array.from({ length: REQUESTS }, () => request));
  const answers = await client.call('requestMany', { requests: many, concurrency: 5 });
  const nameOf = ({ status, headers }: HttpAnswer): string =>
    status === 200 ? (String(headers['x-served-by']).split('-')[0] ?? '') : String(status);
  return [...new Set(answers.map(nameOf))].sort();
}

const REQUESTS_TO_WEB: readonly HttpRequest[] = [
  'http://web/',
  'http://web.shop/',
  'http://web.shop.svc/',
  'http://web.shop.svc.cluster.local/',
  'http://raw:9000/',
  'http://raw.shop.svc.cluster.local:9000/',
].map((url) => ({ url }));

/** Waits until the pods of one workload answer, and no other. */
async function untilServedBy(context: Context, requests: readonly HttpRequest[], workload: string): Promise<void> {
  const urls = requests.map(({ url }) => url).join(', ');
  await eventually(
    `${workload} answers ${urls}`,
    async () => (await servedBy(context, requests)).join() === workload,
    PATIENT,
  );
}

/** Waits until the client's sidecar has all applied objects: a new legitimate entry is served. */
async function clientHas(context: Context, host: string): Promise<void> {
  const { cluster, thief, web } = context;
  await cluster.kubectl(
    ['apply', '-f', '-'],
    listOf([entry(thief, host.split('.')[0] ?? '', { hosts: [host] }, HTTP)]),
  );
  await untilServedBy(context, [{ url: `http://${web}/`, headers: { host } }], 'thief');
}

/** Names of the entries whose status says that they act on their own namespace alone. */
async function confined(cluster: Cluster): Promise<readonly string[]> {
  const { items } = JSON.parse(await cluster.kubectl([...EVIL, 'get', 'serviceentries', '-o', 'json'])) as {
    readonly items: readonly {
      readonly metadata: { readonly name: string };
      readonly status?: { readonly validationMessages?: readonly { readonly code: string }[] };
    }[];
  };
  return items
    .filter(({ status }) => status?.validationMessages?.some(({ code }) => code === 'MESH0501'))
    .map(({ metadata }) => metadata.name)
    .sort();
}

e2eTest("no ServiceEntry of a tenant moves another tenant's traffic, and each that would says so", async (t) => {
  const context = started(t);
  const { cluster, web, raw } = context;
  await servicesAnswer(context);
  const requests = [...REQUESTS_TO_WEB, { url: `http://${web}/` }, { url: `http://${raw}:9000/` }];
  await untilServedBy(context, requests, 'web');

  const hostile = hostileEntries(context);
  await cluster.kubectl(['apply', '-f', '-'], listOf(hostile));
  await clientHas(context, 'first.example.com');
  t.deepEqual(await servedBy(context, requests), ['web']);

  // Its host was claimed before it exists.
  const later = meshService({ name: 'later', namespace: 'shop', workload: 'web', targetPort: 8080 });
  await cluster.kubectl(['apply', '-f', '-'], listOf([later]));
  await clientHas(context, 'second.example.com');
  // Its parts come by watches of their own, after the entry or before it.
  const toLater = [{ url: 'http://later/' }, { url: 'http://later.shop/' }];
  await untilServedBy(context, toLater, 'web');
  t.deepEqual(await servedBy(context, [...toLater, ...requests]), ['web']);

  const names = hostile.map((object) => (object as { metadata: { name: string } }).metadata.name).sort();
  await eventually(
    'the status of each hostile entry shows it',
    async () => (await confined(cluster)).join() === names.join(),
    PATIENT,
  ).catch(async (cause: unknown) => {
    throw new Error(`only these say so: ${await confined(cluster)}`, { cause });
  });
  t.deepEqual(await rejectionsIn(cluster), []);
});

e2eTest('a binding of * of a tenant affects no request to another tenant until that tenant grants it', async (t) => {
  const context = started(t);
  const { cluster } = context;
  const closing = boundQuotaSpec({ name: 'all', namespace: 'evil' }, [], [{ quotas: [{ quota: 'none', charge: 1 }] }]);
  const bound = closing.map((object) =>
    object['kind'] === 'QuotaSpecBinding'
      ? { ...object, spec: { services: [{ service: '*' }], quotaSpecs: [{ name: 'all' }] } }
      : object,
  );
  await cluster.kubectl(['apply', '-f', '-'], listOf(bound));
  const statuses = (url: string) => statusesOf(context, url, REQUESTS);
  await eventually(
    'its own service is closed',
    async () => (await statuses('http://thief.evil/'))[429] === REQUESTS,
    PATIENT,
  );
  t.deepEqual(await statuses('http://web/'), { 200: REQUESTS });

  const annotation = 'policy.mesh.internal/bindings-from';
  await cluster.kubectl(['annotate', '--overwrite', 'namespace', 'shop', `${annotation}=evil`]);
  await eventually('the grant is in force', async () => (await statuses('http://web/'))[429] === REQUESTS, PATIENT);
  await cluster.kubectl(['annotate', 'namespace', 'shop', `${annotation}-`]);
  await eventually('so is its end', async () => (await statuses('http://web/'))[200] === REQUESTS, PATIENT);
});
