import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import anyTest, { type ExecutionContext, type TestFn } from 'ava';
import { type Agent, startAgent } from '../counterparts/agent.js';
import { type Cluster, startCluster } from '../counterparts/kubernetes/cluster.js';
import { requireCluster } from '../counterparts/kubernetes/find-cluster.js';
import { boundQuotaSpec } from '../counterparts/policy-manifests.js';
import { eventually } from '../support/eventually.js';
import { knowsPolicyServers, listOf, PATIENT, podsOf, rolledOut, SHOP, webhooksAnswer } from './cluster-mesh.js';
import { plainWorkload } from './injected-workload.js';
import { openRunbooks, type Runbooks } from './runbook.js';

interface Context {
  cluster: Cluster;
  runbooks: Runbooks;
  /** Objects in the cluster before the install, as `kind namespace/name`. */
  before: ReadonlySet<string>;
}

const { available } = requireCluster();
const test = anyTest as TestFn<Partial<Context>>;
const e2eTest = available === undefined ? test.serial.skip : test.serial;

const SYSTEM = ['--namespace', 'mesh-system'];
const MESHD_PODS = 'app.kubernetes.io/name=meshd';
const REQUESTS_BETWEEN = 300;
const CONCURRENCY = 4;
/** Kubernetes recreates these objects with new names whenever pods change. */
const PASSING_KINDS: ReadonlySet<string> = new Set(['Pod', 'ReplicaSet', 'EndpointSlice', 'Event', 'PodMetrics']);
const STRICT = {
  apiVersion: 'security.mesh.internal/v1beta1',
  kind: 'PeerAuthentication',
  metadata: { name: 'default', namespace: 'shop' },
  spec: { mtls: { mode: 'STRICT' } },
};
const DANGLING = {
  apiVersion: 'config.mesh.internal/v1alpha2',
  kind: 'QuotaSpecBinding',
  metadata: { name: 'dangling', namespace: 'shop' },
  spec: { services: [{ name: 'web' }], quotaSpecs: [{ name: 'no-such-spec' }] },
};

function contextOf({ cluster, runbooks, before }: Partial<Context>): Context {
  if (cluster === undefined || runbooks === undefined || before === undefined) throw new Error('it did not start');
  return { cluster, runbooks, before };
}

/** Every object of every kind that the API server lists. */
async function everythingIn(cluster: Cluster): Promise<ReadonlySet<string>> {
  const kinds = (await cluster.kubectl(['api-resources', '--verbs=list', '-o', 'name'])).trim().split('\n');
  const columns = 'custom-columns=K:.kind,NS:.metadata.namespace,N:.metadata.name';
  const lines = await cluster.kubectl(['get', kinds.join(), '--all-namespaces', '--no-headers', '-o', columns]);
  const rows = lines.split('\n').map((line) => line.trim().split(/\s+/));
  return new Set(
    rows.flatMap(([kind = '', namespace, name]) =>
      name === undefined || PASSING_KINDS.has(kind) ? [] : [`${kind} ${namespace}/${name}`],
    ),
  );
}

async function agentIn(cluster: Cluster, namespace: string, app: string): Promise<Agent> {
  const [pod = ''] = await podsOf(cluster, ['--namespace', namespace], `app=${app}`);
  return startAgent(cluster.enterPod(pod));
}

/** Requests to `web` from a pod of the mesh; each is checked by the policy server while checks are on. */
async function startCheckedLoad(t: ExecutionContext, cluster: Cluster) {
  for (const pod of await podsOf(cluster, SHOP, 'app=web')) await knowsPolicyServers(cluster, pod);
  const client = await agentIn(cluster, 'shop', 'client');
  t.teardown(() => client.stop());
  await eventually('web answers', async () => (await client.request('http://web/')).status === 200, PATIENT);
  await client.call('startLoad', { request: { url: 'http://web/' }, concurrency: CONCURRENCY });
  const goesOn = async (): Promise<void> => {
    const { requests } = await client.call('readLoad', null);
    await eventually(
      'the load goes on',
      async () => (await client.call('readLoad', null)).requests >= requests + REQUESTS_BETWEEN,
      PATIENT,
    );
  };
  return {
    goesOn,
    assertNoneFailed: async (): Promise<void> => {
      await goesOn();
      const { samples, failures, requests } = await client.call('stopLoad', null);
      t.log(`${requests} requests`);
      t.deepEqual(samples, []);
      t.is(failures, 0);
    },
  };
}

/** Output of all containers of all pods of meshd so far. */
async function logsOfMeshd(cluster: Cluster): Promise<string> {
  const folder = join(cluster.folder, 'pods');
  const pods = (await readdir(folder)).filter((name) => name.startsWith('mesh-system_meshd-'));
  const logs = await Promise.all(pods.map((pod) => readFile(join(folder, pod, 'discovery.log'), 'utf8')));
  return logs.join('\n');
}

const linesWith = (text: string, phrase: string): number =>
  text.split('\n').filter((line) => line.includes(phrase)).length;

async function onlyOnePodOfMeshd(cluster: Cluster): Promise<void> {
  await eventually(
    'the old pod has ended',
    async () => (await podsOf(cluster, SYSTEM, MESHD_PODS)).length === 1,
    PATIENT,
  );
}

test.before(async (t) => {
  if (available === undefined) return;
  const cluster = await startCluster(available);
  t.context.cluster = cluster;
  const runbooks = await openRunbooks(cluster);
  t.context.runbooks = runbooks;
  for (const namespace of ['shop', 'outside']) await cluster.kubectl(['create', 'namespace', namespace]);
  const workloads = [
    ...plainWorkload({ name: 'web', namespace: 'shop', replicas: 2 }),
    ...plainWorkload({ name: 'client', namespace: 'shop' }),
    ...plainWorkload({ name: 'outsider', namespace: 'outside' }),
  ];
  await cluster.kubectl(['apply', '-f', '-'], listOf(workloads));
  for (const name of ['web', 'client']) await rolledOut(cluster, 'shop', name);
  await rolledOut(cluster, 'outside', 'outsider');
  t.context.before = await everythingIn(cluster);

  await runbooks.run('kubectl apply -f manifests/');
  await rolledOut(cluster, 'mesh-system', 'meshd');
  await webhooksAnswer(cluster);
  await cluster.kubectl(['label', 'namespace', 'shop', 'mesh-injection=enabled']);
  const books = boundQuotaSpec(
    { name: 'web', namespace: 'shop' },
    ['web'],
    [{ quotas: [{ quota: 'any', charge: 1 }] }],
  );
  await cluster.kubectl(['apply', '-f', '-'], listOf([STRICT, DANGLING, ...books]));
  for (const name of ['web', 'client']) {
    await cluster.kubectl([...SHOP, 'rollout', 'restart', `deployment/${name}`]);
    await rolledOut(cluster, 'shop', name);
  }
  await eventually(
    'only pods with sidecars are left',
    async () =>
      (await podsOf(cluster, SHOP, 'app=web')).length === 2 && (await podsOf(cluster, SHOP, 'app=client')).length === 1,
    PATIENT,
  );
});

test.after.always(async (t) => {
  await t.context.runbooks?.close();
  await t.context.cluster?.close();
});

e2eTest(
  'the restart runbook: the only replica is replaced under FAIL_CLOSE without preStop, and no request fails',
  async (t) => {
    const { cluster, runbooks } = contextOf(t.context);
    const [before] = await podsOf(cluster, SYSTEM, MESHD_PODS);
    const load = await startCheckedLoad(t, cluster);
    await load.goesOn();
    for (const block of runbooks.blocksOf('Restart')) await runbooks.run(block);
    await onlyOnePodOfMeshd(cluster);
    t.not((await podsOf(cluster, SYSTEM, MESHD_PODS))[0], before);
    await load.assertNoneFailed();
    const logs = await logsOfMeshd(cluster);
    t.is(linesWith(logs, 'callers have left'), 1);
    t.is(linesWith(logs, 'callers still connect'), 0);
  },
);

e2eTest('the upgrade runbook: a new version takes over, and no request fails', async (t) => {
  const { cluster, runbooks } = contextOf(t.context);
  const deployment = join(runbooks.folder, 'manifests/50-deployment.yaml');
  await writeFile(deployment, (await readFile(deployment, 'utf8')).replaceAll('version: 0.1.0', 'version: 0.1.1'));
  const load = await startCheckedLoad(t, cluster);
  await load.goesOn();
  for (const block of runbooks.blocksOf('Upgrade')) await runbooks.run(block);
  await onlyOnePodOfMeshd(cluster);
  t.is((await podsOf(cluster, SYSTEM, 'app.kubernetes.io/version=0.1.1')).length, 1);
  await load.assertNoneFailed();
});

e2eTest(
  'the runbook to scale to zero and back: proxies work without a control plane, and no request fails',
  async (t) => {
    const { cluster, runbooks } = contextOf(t.context);
    const load = await startCheckedLoad(t, cluster);
    await load.goesOn();
    for (const block of runbooks.blocksOf('Scale to zero')) {
      await runbooks.run(block);
      if (block.includes('--replicas=0')) {
        t.deepEqual(await podsOf(cluster, SYSTEM, MESHD_PODS), ['']);
        await load.goesOn();
      }
    }
    for (const pod of await podsOf(cluster, SHOP, 'app=web')) await knowsPolicyServers(cluster, pod);
    await load.assertNoneFailed();
  },
);

e2eTest('the uninstall runbook leaves no object behind, and no request fails during its first steps', async (t) => {
  const { cluster, runbooks, before } = contextOf(t.context);
  const ownEvents = ['get', 'events', '-A', '--field-selector', 'reportingComponent=navigator-discovery', '-o', 'name'];
  await eventually('an Event reports the binding', async () => (await cluster.kubectl(ownEvents)) !== '', PATIENT);
  const load = await startCheckedLoad(t, cluster);
  const blocks = runbooks.blocksOf('Uninstall');
  for (const [index, block] of blocks.entries()) {
    // The third step restarts the client too.
    if (index === 2) await load.assertNoneFailed();
    await runbooks.run(block);
  }
  t.true(blocks.length > 2);

  let left: readonly string[] = ['not looked yet'];
  const containers = ['-o', 'jsonpath={.items[*].spec.initContainers[*].name}'];
  await eventually(
    'nothing is left behind',
    async () => {
      const objects = [...(await everythingIn(cluster))].filter((object) => !before.has(object));
      const events = await cluster.kubectl(ownEvents);
      const sidecars = await cluster.kubectl([...SHOP, 'get', 'pods', ...containers]);
      left = [...objects, events, sidecars].filter((text) => text !== '');
      return left.length === 0;
    },
    PATIENT,
  ).catch((error: unknown) => t.log(String(error)));
  t.deepEqual(left, []);
  const outsider = await agentIn(cluster, 'outside', 'outsider');
  t.teardown(() => outsider.stop());
  await eventually(
    'the workloads answer without a mesh',
    async () => (await outsider.request('http://web.shop/')).body === 'nobody',
    PATIENT,
  );
});
