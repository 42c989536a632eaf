import { join } from 'node:path';
import anyTest, { type ExecutionContext, type TestFn } from 'ava';
import { startAgent } from '../counterparts/agent.js';
import { type Cluster, startCluster } from '../counterparts/kubernetes/cluster.js';
import { kubeconfigOf, runOnNode } from '../counterparts/kubernetes/commands.js';
import { requireCluster } from '../counterparts/kubernetes/find-cluster.js';
import { meshService } from '../counterparts/kubernetes/mesh-workload.js';
import { projectRoot } from '../counterparts/project-root.js';
import { eventually } from '../support/eventually.js';
import {
  applyObjects,
  type ClusterMesh,
  closePath,
  installShop,
  knowsPolicyServers,
  PATIENT,
  podsOf,
  rejectionsIn,
  rolledOut,
  SHOP,
  servicesAnswer,
  shopQuotas,
  statusesOf,
  statusIsGood,
} from './cluster-mesh.js';
import { endUnharmedLoad, moreRequests } from './running-load.js';

const { available } = requireCluster();
const test = anyTest as TestFn<Partial<ClusterMesh>>;
const e2eTest = available === undefined ? test.serial.skip : test.serial;

const SYSTEM = ['--namespace', 'mesh-system'];
const MANIFESTS = join(projectRoot(), 'manifests/');
const MESHD_PODS = 'app.kubernetes.io/name=meshd';
const LIMIT = 10;
const REQUESTS_AFTER_CHANGE = 200;

function meshOf({ cluster, client }: Partial<ClusterMesh>): ClusterMesh {
  if (cluster === undefined || client === undefined) throw new Error('the cluster did not start');
  return { cluster, client };
}

const meshdRolledOut = ({ cluster }: Pick<ClusterMesh, 'cluster'>) => rolledOut(cluster, 'mesh-system', 'meshd');

/** How often containers of meshd ended by themselves. */
async function meshdRestarts(cluster: Cluster): Promise<number> {
  const counts = ['-o', 'jsonpath={.items[*].status.containerStatuses[*].restartCount}'];
  const output = await cluster.kubectl([...SYSTEM, 'get', 'pods', '-l', MESHD_PODS, ...counts]);
  return output.split(' ').reduce((sum, count) => sum + Number(count), 0);
}

/** For sidecars that are written by hand and have no certificates: docs/kubernetes.md, "What to keep in mind". */
async function openPlaintext(cluster: Cluster): Promise<void> {
  const container = '/spec/template/spec/containers/0';
  const deployment = [
    { op: 'add', path: `${container}/args/-`, value: '--grpcAddr=:15010' },
    { op: 'add', path: `${container}/env/-`, value: { name: 'NAV_POLICY_TLS', value: 'plaintext' } },
  ];
  const service = [{ op: 'add', path: '/spec/ports/-', value: { name: 'grpc-xds', port: 15010 } }];
  for (const [object, patch] of [
    ['deployment/meshd', deployment],
    ['service/meshd', service],
  ] as const) {
    await cluster.kubectl([...SYSTEM, 'patch', object, '--type', 'json', '--patch', JSON.stringify(patch)]);
  }
}

test.before(async (t) => {
  if (available === undefined) return;
  const cluster = await startCluster(available);
  t.context.cluster = cluster;
  // As docs/kubernetes.md says it.
  await cluster.kubectl(['apply', '-f', MANIFESTS]);
  await openPlaintext(cluster);
  await meshdRolledOut({ cluster });
  t.context.client = await installShop(cluster);
});

test.afterEach.always('no sidecar rejected any configuration', async (t) => {
  const { cluster } = t.context;
  if (cluster !== undefined) t.deepEqual(await rejectionsIn(cluster), []);
});

test.after.always(async (t) => {
  await t.context.client?.stop();
  await t.context.cluster?.close();
});

/** Two replicas count in memory, so that status says of each limit that it is not in force. */
const NOT_SHARED = 'False';

/** Why, in status and metric. */
async function countersAreNotShared(
  t: ExecutionContext<Partial<ClusterMesh>>,
  { cluster }: ClusterMesh,
): Promise<void> {
  const condition = 'jsonpath={.status.conditions[?(@.type=="Reconciled")]}';
  const { reason, message } = JSON.parse(
    await cluster.kubectl([...SHOP, 'get', 'quotaspecs', 'web', '-o', condition]),
  ) as Record<'reason' | 'message', string>;
  t.is(reason, 'CountersNotShared');
  t.regex(message, /2 replicas of meshd\.mesh-system\.svc count quotas in memory, each for itself/);
  for (const pod of await podsOf(cluster, SYSTEM, MESHD_PODS)) {
    await eventually(
      `${pod} tells of it`,
      async () => {
        const agent = startAgent(cluster.enterPod(pod));
        try {
          const { body } = await agent.request('http://127.0.0.1:15014/metrics');
          return /^policy_server_unshared_replicas 2$/m.test(body);
        } finally {
          await agent.stop();
        }
      },
      PATIENT,
    );
  }
}

/** Requests of which none uses up a quota, and each is checked: meshd is asked before it reaches the application. */
async function startCheckedLoad({ client }: ClusterMesh): Promise<void> {
  await client.call('startLoad', { request: { url: 'http://web/' } });
}

e2eTest('an applied QuotaSpec is in force: its status says so, and exactly its amount is granted', async (t) => {
  const mesh = meshOf(t.context);
  const { cluster, client } = mesh;
  await servicesAnswer(mesh);
  const policy = JSON.stringify({ quotas: shopQuotas(LIMIT) });
  await cluster.kubectl([...SYSTEM, 'create', 'configmap', 'mesh-policy', `--from-literal=policy=${policy}`]);
  // Both quotas come with the same file, and both rules with the same push.
  await closePath(t, mesh, '/closed');
  await statusIsGood(mesh);

  t.deepEqual(await statusesOf(mesh, 'http://web/books', 40), { 200: LIMIT, 429: 40 - LIMIT });
  t.is((await client.request('http://web/books')).body, 'Quota is exhausted for: books');
  t.deepEqual(await statusesOf(mesh, 'http://web/', 20), { 200: 20 });
  t.deepEqual(await statusesOf(mesh, 'http://free/books', 40), { 200: 40 });
});

e2eTest('the API server is restarted under load: no request fails, and later objects come into force', async (t) => {
  const mesh = meshOf(t.context);
  const { cluster, client } = mesh;
  await startCheckedLoad(mesh);
  await moreRequests(client, REQUESTS_AFTER_CHANGE);

  await cluster.restartApiServer();
  const late = meshService({ name: 'late', namespace: 'shop', workload: 'web', targetPort: 8081 });
  await applyObjects(t, cluster, [late]);
  await eventually(
    'a new service answers by its name',
    async () => (await statusesOf(mesh, 'http://late/', 10))[200] === 10,
    PATIENT,
  );
  await closePath(t, mesh, '/closed-after-restart');
  await statusIsGood(mesh);
  await moreRequests(client, REQUESTS_AFTER_CHANGE);

  await endUnharmedLoad(t, client);
  t.is(await meshdRestarts(cluster), 0);
});

e2eTest('meshd is scaled, rolled and killed under load, and no request fails', async (t) => {
  const mesh = meshOf(t.context);
  const { cluster, client } = mesh;
  await startCheckedLoad(mesh);
  await moreRequests(client, REQUESTS_AFTER_CHANGE);

  await cluster.kubectl([...SYSTEM, 'scale', 'deployment/meshd', '--replicas=2']);
  await meshdRolledOut(mesh);
  const before = await eventually(
    'two replicas run, and no earlier one',
    async () => {
      const pods = await podsOf(cluster, SYSTEM, MESHD_PODS);
      return pods.length === 2 && pods;
    },
    PATIENT,
  );
  // By the address of their Service a killed one would be asked until the cluster's network has noticed.
  for (const pod of await podsOf(cluster, SHOP, 'app=web')) await knowsPolicyServers(cluster, pod);
  await closePath(t, mesh, '/closed-by-two');
  await statusIsGood(mesh, NOT_SHARED);
  await countersAreNotShared(t, mesh);

  await cluster.kubectl([...SYSTEM, 'rollout', 'restart', 'deployment/meshd']);
  await meshdRolledOut(mesh);
  await closePath(t, mesh, '/closed-after-rollout');
  await statusIsGood(mesh, NOT_SHARED);
  await moreRequests(client, REQUESTS_AFTER_CHANGE);

  // The replica that writes status, which is the harder case. The old replica serves until its proxies have left.
  const lease = ['get', 'lease', 'mesh-status-leader', '-o', 'jsonpath={.spec.holderIdentity}'];
  let victim = '';
  await eventually(
    'a new replica writes status, and the old ones have ended',
    async () => {
      const pods = await podsOf(cluster, SYSTEM, MESHD_PODS);
      victim = await cluster.kubectl([...SYSTEM, ...lease]);
      return pods.includes(victim) && !pods.some((pod) => before.includes(pod));
    },
    PATIENT,
  );
  t.log(`killed at ${new Date().toISOString()}`);
  cluster.killPod(victim);
  await cluster.kubectl([...SYSTEM, 'delete', 'pod', victim, '--force', '--grace-period=0']);
  await closePath(t, mesh, '/closed-after-kill');
  await meshdRolledOut(mesh);
  // The pod owned its last report; without it, the status would be incomplete for a minute.
  await eventually(
    'the report of the victim is gone',
    async () => {
      const reports = await cluster.kubectl([...SYSTEM, 'get', 'configmaps', '-o', 'name']);
      return reports.includes('-distribution') && !reports.includes(`${victim}-distribution`);
    },
    PATIENT,
  );
  await statusIsGood(mesh, NOT_SHARED);
  await moreRequests(client, REQUESTS_AFTER_CHANGE);

  const report = await endUnharmedLoad(t, client);
  t.is(Object.keys(report.byServer).length, 2);
});

e2eTest('commands ask all replicas through the API server, with the rights of their user', async (t) => {
  const { cluster } = meshOf(t.context);
  const pods = await podsOf(cluster, SYSTEM, MESHD_PODS);
  t.is(pods.length, 2);
  const run = (argv: readonly string[]) => runOnNode(cluster, argv);
  const status = await eventually(
    'all three sidecars have acknowledged all configuration',
    async () => {
      const { code, stdout, stderr } = await run(['proxy-status', '-o', 'json']);
      if (code !== 0) throw new Error(stderr);
      const rows = JSON.parse(stdout) as { workload: string; server: string; state: string }[];
      return rows.length === 3 && rows.every(({ state }) => state === 'SYNCED') && rows;
    },
    PATIENT,
  );
  for (const { server } of status) t.true(pods.includes(server), server);
  t.true(status.every(({ workload }) => workload.endsWith('.shop')));

  const several = await run(['request', 'GET', '/version']);
  t.regex(several.stderr, /the cluster has several replicas; name one with --replica: meshd-\S+, meshd-/);
  const pages = await Promise.all(pods.map((pod) => run(['request', 'GET', '/debug/syncz', '--replica', pod])));
  t.is(pages.flatMap(({ stdout }) => JSON.parse(stdout) as object[]).length, 3);
  const missing = await run(['request', 'GET', '/debug/nothing', '--replica', pods[0] ?? '']);
  t.regex(missing.stderr, /received unsuccessful status code 404: There is no page \/debug\/nothing/);

  const analysis = await run(['analyze', '-o', 'json']);
  t.is(analysis.code, 0, analysis.stdout + analysis.stderr);
  t.true((JSON.parse(analysis.stdout) as { summary: { objects: number } }).summary.objects > 20);

  const check = await run(['check', '-o', 'json']);
  t.is(check.code, 0, check.stdout + check.stderr);
  const results = JSON.parse(check.stdout) as { check: string; level: string; message: string }[];
  const bad = results.filter(({ level }) => level !== 'ok');
  t.deepEqual([...new Set(bad.map(({ check: name }) => name))], ['quota storage'], check.stdout);
  t.regex(bad[0]?.message ?? '', /^2 replicas count quotas in memory/);
  for (const name of ['CRDs', 'rights', 'webhooks', 'certificates', 'clock', 'versions', 'Envoy versions']) {
    t.true(
      results.some((result) => result.check === name),
      name,
    );
  }

  await cluster.kubectl(['create', 'serviceaccount', 'guest']);
  const token = (await cluster.kubectl(['create', 'token', 'guest'])).trim();
  const guest = ['--kubeconfig', await kubeconfigOf(cluster, token)];
  const unlisted = await run(['proxy-status', ...guest]);
  t.is(unlisted.code, 1);
  t.regex(
    unlisted.stderr,
    /the pods of namespace mesh-system cannot be listed: pods is forbidden: .*get the right "list pods"/,
  );
  const account = '--serviceaccount=default:guest';
  await cluster.kubectl([...SYSTEM, 'create', 'role', 'lister', '--verb=list', '--resource=pods']);
  await cluster.kubectl([...SYSTEM, 'create', 'rolebinding', 'lister', '--role=lister', account]);
  const unforwarded = await eventually('the right is in force', async () => {
    const result = await run(['proxy-status', ...guest]);
    return !result.stderr.includes('cannot be listed') && result;
  });
  t.is(unforwarded.code, 1);
  t.regex(
    unforwarded.stderr,
    /cannot get resource "pods\/portforward".*; you need the rights "get" and "create" of pods\/portforward in namespace mesh-system/,
  );
});
