import anyTest, { type TestFn } from 'ava';
import { startCluster } from '../counterparts/kubernetes/cluster.js';
import { requireCluster } from '../counterparts/kubernetes/find-cluster.js';
import type { ManagedProcess } from '../counterparts/managed-process.js';
import { eventually } from '../support/eventually.js';
import {
  type ClusterMesh,
  closePath,
  installShop,
  rejectionsIn,
  servicesAnswer,
  shopQuotas,
  statusesOf,
  statusIsGood,
} from './cluster-mesh.js';
import { BESIDE, besideMeshConfig, startDiscoveryBeside } from './discovery-beside.js';

interface Context extends ClusterMesh {
  discovery: ManagedProcess;
}

const { available } = requireCluster();
const test = anyTest as TestFn<Partial<Context>>;
const e2eTest = available === undefined ? test.serial.skip : test.serial;

const SYSTEM = ['--namespace', 'mesh-system'];
const LIMIT = 10;

test.before(async (t) => {
  if (available === undefined) return;
  const cluster = await startCluster(available);
  t.context.cluster = cluster;
  t.context.discovery = await startDiscoveryBeside(cluster, shopQuotas(LIMIT));
  t.context.client = await installShop(cluster, BESIDE);
});

test.after.always(async (t) => {
  await t.context.client?.stop();
  await t.context.discovery?.stop();
  await t.context.cluster?.close();
});

e2eTest(
  'beside a cluster, with the rights of the manifests, the server configures its Envoys and enforces quotas',
  async (t) => {
    const { cluster, client, discovery } = t.context;
    if (cluster === undefined || client === undefined || discovery === undefined)
      throw new Error('nothing has started');
    const mesh = { cluster, client };
    await servicesAnswer(mesh);
    await closePath(t, mesh, '/closed');
    await statusIsGood(mesh);

    t.deepEqual(await statusesOf(mesh, 'http://web/books', 40), { 200: LIMIT, 429: 40 - LIMIT });
    t.is((await client.request('http://web/books')).body, 'Quota is exhausted for: books');
    t.deepEqual(await statusesOf(mesh, 'http://free/books', 40), { 200: 40 });

    const patch = JSON.stringify({ data: { mesh: besideMeshConfig(true) } });
    await cluster.kubectl([...SYSTEM, 'patch', 'configmap', 'mesh', '--type', 'merge', '--patch', patch]);
    await eventually(
      'checks are off at once',
      async () => (await statusesOf(mesh, 'http://web/closed', 20))[200] === 20,
    );

    t.deepEqual(await rejectionsIn(cluster), []);
    t.deepEqual(
      discovery.lines.filter((line) => /forbidden|may not/i.test(line)),
      [],
    );
  },
);
