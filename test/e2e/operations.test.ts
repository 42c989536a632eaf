import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import anyTest, { type ExecutionContext, type TestFn } from 'ava';
import { type Agent, startAgent } from '../counterparts/agent.js';
import { type Cluster, startCluster } from '../counterparts/kubernetes/cluster.js';
import { requireCluster } from '../counterparts/kubernetes/find-cluster.js';
import type { KubernetesManifest } from '../counterparts/kubernetes/kubernetes-client.js';
import { boundQuotaSpec } from '../counterparts/policy-manifests.js';
import { requireHelm } from '../manifests/support/helm.js';
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

const canaryTest = requireHelm() === undefined ? test.serial.skip : e2eTest;

const SYSTEM = ['--namespace', 'mesh-system'];
const FRONT = ['--namespace', 'front'];
const MESHD_PODS = 'app.kubernetes.io/name=meshd';
const REQUESTS_BETWEEN = 300;
const CONCURRENCY = 4;
const WEB = 'http://web.shop/';
/** Workloads of the mesh. */
const MESHED = [
  ['shop', 'web'],
  ['shop', 'client'],
  ['front', 'client'],
] as const;
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
async function startCheckedLoad(t: ExecutionContext, cluster: Cluster, namespace = 'shop') {
  for (const pod of await podsOf(cluster, SHOP, 'app=web')) await knowsPolicyServers(cluster, pod);
  const client = await agentIn(cluster, namespace, 'client');
  t.teardown(() => client.stop());
  await eventually('web answers', async () => (await client.request(WEB)).status === 200, PATIENT);
  await client.call('startLoad', { request: { url: WEB }, concurrency: CONCURRENCY });
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

/** Waits until every pod of the shop was injected by this revision. */
async function onlyPodsOf(cluster: Cluster, revision: string): Promise<void> {
  await eventually(
    `all pods of the shop are of the revision ${revision}`,
    async () => {
      const columns = ['-o', 'jsonpath={.items[*].metadata.labels.mesh\\.internal/rev}'];
      const revisions = (await cluster.kubectl([...SHOP, 'get', 'pods', ...columns])).split(' ');
      return revisions.length === 3 && revisions.every((each) => each === revision);
    },
    PATIENT,
  );
}

function withRevision(object: KubernetesManifest, revision: string): KubernetesManifest {
  return { ...object, metadata: { ...object.metadata, labels: { 'mesh.internal/rev': revision } } };
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
  for (const namespace of ['shop', 'front', 'outside']) await cluster.kubectl(['create', 'namespace', namespace]);
  const workloads = [
    ...plainWorkload({ name: 'web', namespace: 'shop', replicas: 2 }),
    ...plainWorkload({ name: 'client', namespace: 'shop' }),
    ...plainWorkload({ name: 'client', namespace: 'front' }),
    ...plainWorkload({ name: 'outsider', namespace: 'outside' }),
  ];
  await cluster.kubectl(['apply', '-f', '-'], listOf(workloads));
  for (const name of ['web', 'client']) await rolledOut(cluster, 'shop', name);
  await rolledOut(cluster, 'outside', 'outsider');
  t.context.before = await everythingIn(cluster);

  await runbooks.run('kubectl apply -f manifests/');
  await rolledOut(cluster, 'mesh-system', 'meshd');
  await webhooksAnswer(cluster);
  await cluster.kubectl(['label', 'namespace', 'shop', 'front', 'mesh-injection=enabled']);
  const books = boundQuotaSpec(
    { name: 'web', namespace: 'shop' },
    ['web'],
    [{ quotas: [{ quota: 'any', charge: 1 }] }],
  );
  await cluster.kubectl(['apply', '-f', '-'], listOf([STRICT, DANGLING, ...books]));
  for (const [namespace, name] of MESHED) {
    await cluster.kubectl(['--namespace', namespace, 'rollout', 'restart', `deployment/${name}`]);
  }
  for (const [namespace, name] of MESHED) await rolledOut(cluster, namespace, name);
  await eventually(
    'only pods with sidecars are left',
    async () =>
      (await podsOf(cluster, SHOP, 'app=web')).length === 2 &&
      (await podsOf(cluster, SHOP, 'app=client')).length === 1 &&
      (await podsOf(cluster, FRONT, 'app=client')).length === 1,
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

/** Objects with a status of the canary alone, which only the webhook of the canary validates. */
const TRIED = boundQuotaSpec(
  { name: 'tried', namespace: 'shop' },
  ['web'],
  [{ quotas: [{ quota: 'any', charge: 1 }] }],
);

canaryTest('the canary runbook: a namespace moves to another revision and back, and no request fails', async (t) => {
  const { cluster, runbooks } = contextOf(t.context);
  const values = '--from-literal=values={ proxy: { logLevel: info } }';
  await cluster.kubectl([...SYSTEM, 'create', 'configmap', 'mesh-sidecar-injector', values]);
  const [copy = '', install = '', move = '', back = '', remove = '', ...others] = runbooks.blocksOf('Canary upgrade');
  t.deepEqual(others, []);
  const load = await startCheckedLoad(t, cluster, 'front');
  await runbooks.run(copy);
  await runbooks.run(install);
  await load.goesOn();

  await runbooks.run(move);
  await onlyPodsOf(cluster, 'canary');
  const sidecar = ['-o', 'jsonpath={.items[*].spec.initContainers[?(@.name=="mesh-proxy")].args}'];
  const args = await cluster.kubectl([...SHOP, 'get', 'pods', '-l', 'app=web', ...sidecar]);
  t.true(args.includes('meshd-canary.mesh-system.svc'), args);
  t.true(args.includes('info'), 'the settings of the canary are those that the first control plane has');
  await load.goesOn();
  const labelled = TRIED.map((object) => withRevision(object as unknown as KubernetesManifest, 'canary'));
  await cluster.kubectl(['apply', '-f', '-'], listOf(labelled));
  await eventually(
    'both control planes report the proxies of the canary',
    async () => {
      const lines = await cluster.kubectl([...SHOP, 'get', 'quotaspecs', '--no-headers']);
      return lines.split('2/2 up to date').length === 3;
    },
    PATIENT,
  );
  const invalid = { ...labelled[0], spec: { rules: [{ match: [{ clause: { p: { regex: '(' } } }], quotas: [] }] } };
  await t.throwsAsync(cluster.kubectl(['apply', '-f', '-'], listOf([invalid])), { message: /denied the request/ });
  await cluster.kubectl(['delete', '-f', '-'], listOf(labelled));

  await runbooks.run(back);
  await onlyPodsOf(cluster, 'default');
  await load.goesOn();
  await runbooks.run(remove);
  await load.assertNoneFailed();
  await cluster.kubectl([...SYSTEM, 'delete', 'configmap', 'mesh-sidecar-injector']);
  await eventually(
    'nothing of the canary is left behind',
    async () => ![...(await everythingIn(cluster))].some((object) => object.includes('canary')),
    PATIENT,
  );
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
