import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import anyTest, { type TestFn } from 'ava';
import { eventually } from '../counterparts/eventually.js';
import { type Cluster, NODE_ADDRESS, startCluster } from '../counterparts/kubernetes/cluster.js';
import { requireCluster } from '../counterparts/kubernetes/find-cluster.js';
import { type ManagedProcess, startManagedProcess } from '../counterparts/managed-process.js';
import { projectRoot } from '../counterparts/project-root.js';
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

interface Context extends ClusterMesh {
  discovery: ManagedProcess;
}

const { available } = requireCluster();
const test = anyTest as TestFn<Partial<Context>>;
const e2eTest = available === undefined ? test.serial.skip : test.serial;

const SYSTEM = ['--namespace', 'mesh-system'];
const GRPC_PORT = 15010;
const LIMIT = 10;
/** What a cluster needs for a control plane beside it. */
const NEEDED = ['00-namespace.yaml', '10-crds.yaml', '20-access.yaml'];

function meshConfig(disablePolicyChecks: boolean): string {
  return JSON.stringify({
    mixerCheckServer: 'embedded',
    mixerReportServer: 'embedded',
    disablePolicyChecks,
    defaultConfig: { discoveryAddress: `${NODE_ADDRESS}:${GRPC_PORT}` },
  });
}

/** A kubeconfig with the rights of the manifests' service account, and no others. */
async function restrictedKubeconfig(cluster: Cluster, folder: string): Promise<string> {
  const token = await cluster.kubectl([...SYSTEM, 'create', 'token', 'meshd']);
  const admin = await readFile(join(cluster.folder, 'kubeconfig'), 'utf8');
  const file = join(folder, 'kubeconfig');
  await writeFile(file, admin.replace('admin-token', token.trim()));
  return file;
}

async function startDiscovery(cluster: Cluster): Promise<ManagedProcess> {
  const folder = join(cluster.folder, 'beside');
  await mkdir(folder);
  await writeFile(join(folder, 'policy'), JSON.stringify({ quotas: shopQuotas(LIMIT) }));
  // Without a file of it, for the server reads the ConfigMap.
  await cluster.kubectl([...SYSTEM, 'create', 'configmap', 'mesh', `--from-literal=mesh=${meshConfig(false)}`]);
  const flags = [
    ...['--orchconfig', await restrictedKubeconfig(cluster, folder), '--policyConfig', join(folder, 'policy')],
    ...['--meshConfig', join(folder, 'no-mesh'), '--networksConfig', join(folder, 'no-networks')],
  ];
  const discovery = startManagedProcess({
    name: 'discovery beside the cluster',
    command: cluster.onNode([process.execPath, join(projectRoot(), 'build/src/cli/main.js'), 'discovery', ...flags]),
    env: { NAV_ENABLE_STATUS: 'true', NAV_ENABLE_ANALYSIS: 'true' },
  });
  await eventually('discovery is ready', () => {
    if (!discovery.isRunning()) throw new Error(discovery.tail());
    return discovery.lines.some((line) => line.includes('Discovery server is ready'));
  });
  return discovery;
}

test.before(async (t) => {
  if (available === undefined) return;
  const cluster = await startCluster(available);
  t.context.cluster = cluster;
  for (const file of NEEDED) await cluster.kubectl(['apply', '-f', join(projectRoot(), 'manifests', file)]);
  t.context.discovery = await startDiscovery(cluster);
  t.context.client = await installShop(cluster, { address: NODE_ADDRESS, port: GRPC_PORT });
});

test.after.always(async (t) => {
  await t.context.client?.stop();
  await t.context.discovery?.stop();
  await t.context.cluster?.close();
});

e2eTest(
  'beside a cluster, with the rights of the manifests, the server tells its Envoys and enforces quotas',
  async (t) => {
    const { cluster, client, discovery } = t.context;
    if (cluster === undefined || client === undefined || discovery === undefined)
      throw new Error('nothing has started');
    const mesh = { cluster, client };
    await servicesAnswer(mesh);
    await closePath(mesh, '/closed');
    await statusIsGood(mesh);

    t.deepEqual(await statusesOf(mesh, 'http://web/books', 40), { 200: LIMIT, 429: 40 - LIMIT });
    t.is((await client.request('http://web/books')).body, 'Quota is exhausted for: books');
    t.deepEqual(await statusesOf(mesh, 'http://free/books', 40), { 200: 40 });

    const patch = JSON.stringify({ data: { mesh: meshConfig(true) } });
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
