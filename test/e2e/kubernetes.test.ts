import { join } from 'node:path';
import anyTest, { type TestFn } from 'ava';
import { type Agent, startAgent } from '../counterparts/agent.js';
import { findRejections } from '../counterparts/envoy-rejections.js';
import { eventually } from '../counterparts/eventually.js';
import { type Cluster, startCluster } from '../counterparts/kubernetes/cluster.js';
import { requireCluster } from '../counterparts/kubernetes/find-cluster.js';
import { meshService, meshWorkload } from '../counterparts/kubernetes/mesh-workload.js';
import { boundQuotaSpec } from '../counterparts/policy-manifests.js';
import { projectRoot } from '../counterparts/project-root.js';
import { countStatuses } from './policy-mesh.js';

interface Context {
  cluster: Cluster;
  client: Agent;
}

const { available } = requireCluster();
const test = anyTest as TestFn<Partial<Context>>;
const e2eTest = available === undefined ? test.serial.skip : test.serial;

const SYSTEM = ['--namespace', 'mesh-system'];
const SHOP = ['--namespace', 'shop'];
const MANIFESTS = join(projectRoot(), 'manifests/');
const MESHD_PODS = 'app.kubernetes.io/name=meshd';
/** For a rollout, and for changes of files that the kubelet brings, on a machine that does other things as well. */
const PATIENT = { timeoutMs: 60_000, intervalMs: 200 };
const ROLLED_OUT = '--timeout=90s';
const LIMIT = 10;
const REQUESTS_AFTER_CHANGE = 200;

function partsOf({ cluster, client }: Partial<Context>): Context {
  if (cluster === undefined || client === undefined) throw new Error('the cluster did not start');
  return { cluster, client };
}

const listOf = (items: readonly object[]): string => JSON.stringify({ apiVersion: 'v1', kind: 'List', items });

async function podsOf(cluster: Cluster, namespace: readonly string[], selector: string): Promise<readonly string[]> {
  const output = await cluster.kubectl([...namespace, 'get', 'pods', '-l', selector, '-o', 'name']);
  return output
    .trim()
    .split('\n')
    .map((line) => line.replace('pod/', ''));
}

/** How often containers of meshd ended by themselves. */
async function meshdRestarts(cluster: Cluster): Promise<number> {
  const counts = ['-o', 'jsonpath={.items[*].status.containerStatuses[*].restartCount}'];
  const output = await cluster.kubectl([...SYSTEM, 'get', 'pods', '-l', MESHD_PODS, ...counts]);
  return output.split(' ').reduce((sum, count) => sum + Number(count), 0);
}

test.before(async (t) => {
  if (available === undefined) return;
  const cluster = await startCluster(available);
  t.context.cluster = cluster;
  // As docs/kubernetes.md says it.
  await cluster.kubectl(['apply', '-f', MANIFESTS]);
  await cluster.kubectl([...SYSTEM, 'rollout', 'status', 'deployment/meshd', ROLLED_OUT]);
  await cluster.kubectl(['create', 'namespace', 'shop']);
  const workloads = [
    { name: 'web', namespace: 'shop', replicas: 2 },
    { name: 'client', namespace: 'shop', replicas: 1 },
  ] as const;
  const services = [
    meshService({ name: 'web', namespace: 'shop', workload: 'web', targetPort: 8080 }),
    meshService({ name: 'free', namespace: 'shop', workload: 'web', targetPort: 8081 }),
  ];
  await cluster.kubectl(['apply', '-f', '-'], listOf([...workloads.map(meshWorkload), ...services]));
  for (const { name } of workloads) {
    await cluster.kubectl([...SHOP, 'rollout', 'status', `deployment/${name}`, ROLLED_OUT]);
  }
  const [pod = ''] = await podsOf(cluster, SHOP, 'app=client');
  t.context.client = startAgent(cluster.enterPod(pod));
});

test.afterEach.always('no sidecar refused anything', async (t) => {
  const { cluster } = t.context;
  if (cluster === undefined) return;
  for (const pod of [...(await podsOf(cluster, SHOP, 'app=web')), ...(await podsOf(cluster, SHOP, 'app=client'))]) {
    const agent = startAgent(cluster.enterPod(pod));
    try {
      const { body } = await agent.request('http://127.0.0.1:15000/stats?format=json');
      const { stats } = JSON.parse(body) as { stats: readonly { name?: string; value?: number }[] };
      const counters = stats.map(({ name = '', value = 0 }) => [name, value] as const);
      t.true(counters.some(([name]) => name.endsWith('update_success')));
      t.deepEqual(findRejections(new Map(counters)), [], cluster.tail('shop', pod));
    } finally {
      await agent.stop();
    }
  }
});

test.after.always(async (t) => {
  await t.context.client?.stop();
  await t.context.cluster?.close();
});

/** Waits until `kubectl get` shows a person: valid, nothing missing, in force, on both proxies of the service. */
async function statusIsGood({ cluster }: Context): Promise<void> {
  let line = '';
  await eventually(
    'status says that the QuotaSpec is in force',
    async () => {
      line = await cluster.kubectl([...SHOP, 'get', 'quotaspecs', 'web', '--no-headers']);
      return /^web +True +True +True +2\/2 proxies up to date\. /.test(line);
    },
    PATIENT,
  ).catch((cause: unknown) => {
    throw new Error(`the QuotaSpec has this status: ${line}`, { cause });
  });
  const current = [
    'get',
    'quotaspecs',
    'web',
    '-o',
    'jsonpath={.metadata.generation} {.status.conditions[*].observedGeneration}',
  ];
  await eventually(
    'status is about what was applied last',
    async () => new Set((await cluster.kubectl([...SHOP, ...current])).split(' ')).size === 1,
    PATIENT,
  );
}

/** Statuses of concurrent requests from the client's pod. */
async function statusesOf({ client }: Context, url: string, count: number) {
  const requests = Array.from({ length: count }, () => ({ url }));
  return countStatuses(await client.call('requestMany', { requests, concurrency: 10 }));
}

/** Applies the QuotaSpec with a path that is closed, and waits until both pods of the service refuse it. */
async function closePath(parts: Context, path: string): Promise<void> {
  const rules = [
    { match: [{ 'request.path': { exact: path } }], quotas: [{ quota: 'closed', charge: 1 }] },
    { match: [{ 'request.path': { exact: '/books' } }], quotas: [{ quota: 'books', charge: 1 }] },
  ];
  const policies = boundQuotaSpec({ name: 'web', namespace: 'shop' }, ['web'], rules);
  await parts.cluster.kubectl(['apply', '-f', '-'], listOf(policies));
  await eventually(
    `${path} is closed`,
    async () => (await statusesOf(parts, `http://web${path}`, 20))[429] === 20,
    PATIENT,
  );
}

async function moreRequests({ client }: Context): Promise<void> {
  const { requests } = await client.call('readLoad', null);
  await eventually(
    'more requests',
    async () => (await client.call('readLoad', null)).requests >= requests + REQUESTS_AFTER_CHANGE,
  );
}

e2eTest('a QuotaSpec that is applied is in force: status says so, and exactly its amount is granted', async (t) => {
  const parts = partsOf(t.context);
  const { cluster, client } = parts;
  await eventually('both services answer by their names', async () => {
    const [web, free] = [await statusesOf(parts, 'http://web/', 10), await statusesOf(parts, 'http://free/', 10)];
    return web[200] === 10 && free[200] === 10;
  });

  const quotas = [
    { name: 'closed', maxAmount: 0, validDuration: '1h' },
    { name: 'books', maxAmount: LIMIT, validDuration: '1h' },
  ];
  const patch = JSON.stringify({ data: { policy: JSON.stringify({ quotas }) } });
  await cluster.kubectl([...SYSTEM, 'patch', 'configmap', 'mesh-policy', '--type', 'merge', '--patch', patch]);
  // Both quotas come with the same file, and both rules with the same push.
  await closePath(parts, '/closed');
  await statusIsGood(parts);

  t.deepEqual(await statusesOf(parts, 'http://web/books', 40), { 200: LIMIT, 429: 40 - LIMIT });
  t.is((await client.request('http://web/books')).body, 'Quota is exhausted for: books');
  t.deepEqual(await statusesOf(parts, 'http://web/', 20), { 200: 20 });
  t.deepEqual(await statusesOf(parts, 'http://free/books', 40), { 200: 40 });
});

e2eTest('meshd is scaled, rolled and killed under load, and no request fails', async (t) => {
  const parts = partsOf(t.context);
  const { cluster, client } = parts;
  await client.call('startLoad', { request: { url: 'http://free/' } });
  await moreRequests(parts);
  const rolledOut = () => cluster.kubectl([...SYSTEM, 'rollout', 'status', 'deployment/meshd', ROLLED_OUT]);

  // Without the metrics API the autoscaler leaves the number alone.
  await cluster.kubectl([...SYSTEM, 'scale', 'deployment/meshd', '--replicas=2']);
  await rolledOut();
  const before = await podsOf(cluster, SYSTEM, MESHD_PODS);
  t.is(before.length, 2);
  await closePath(parts, '/closed-by-two');
  await statusIsGood(parts);

  await cluster.kubectl([...SYSTEM, 'rollout', 'restart', 'deployment/meshd']);
  await rolledOut();
  await closePath(parts, '/closed-after-rollout');
  await statusIsGood(parts);
  await moreRequests(parts);

  const [victim = ''] = (await podsOf(cluster, SYSTEM, MESHD_PODS)).filter((pod) => !before.includes(pod));
  t.not(victim, '');
  t.log(`killed at ${new Date().toISOString()}`);
  cluster.killPod(victim);
  await cluster.kubectl([...SYSTEM, 'delete', 'pod', victim, '--force', '--grace-period=0']);
  await closePath(parts, '/closed-after-kill');
  await rolledOut();
  await moreRequests(parts);

  const report = await client.call('stopLoad', null);
  t.deepEqual(report.samples, []);
  t.is(report.failures, 0);
  t.is(Object.keys(report.byServer).length, 2);
});

e2eTest(
  'the API server is restarted under load: no request fails, and what is applied afterwards is in force',
  async (t) => {
    const parts = partsOf(t.context);
    const { cluster, client } = parts;
    await client.call('startLoad', { request: { url: 'http://free/' } });
    await moreRequests(parts);

    await cluster.restartApiServer();
    const late = meshService({ name: 'late', namespace: 'shop', workload: 'web', targetPort: 8081 });
    await cluster.kubectl(['apply', '-f', '-'], listOf([late]));
    await eventually('a new service answers by its name', async () => {
      return (await statusesOf(parts, 'http://late/', 10))[200] === 10;
    });
    await closePath(parts, '/closed-after-restart');
    await statusIsGood(parts);
    await moreRequests(parts);

    const report = await client.call('stopLoad', null);
    t.deepEqual(report.samples, []);
    t.is(report.failures, 0);
    t.is(await meshdRestarts(cluster), 0);
  },
);
