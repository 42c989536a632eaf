import { join } from 'node:path';
import anyTest, { type TestFn } from 'ava';
import { startAgent } from '../counterparts/agent.js';
import { type Cluster, startCluster } from '../counterparts/kubernetes/cluster.js';
import { requireCluster } from '../counterparts/kubernetes/find-cluster.js';
import { projectRoot } from '../counterparts/project-root.js';
import { eventually } from '../support/eventually.js';
import { knowsPolicyServers, PATIENT, podsOf, rolledOut, webhooksAnswer } from './cluster-mesh.js';
import { laterVersion } from './later-version.js';
import { countStatuses } from './policy-mesh.js';

const { available } = requireCluster();
const test = anyTest as TestFn<{ cluster?: Cluster }>;
const e2eTest = available === undefined ? test.serial.skip : test.serial;

const SYSTEM = ['-n', 'mesh-system'];
const MANIFESTS = join(projectRoot(), 'manifests/');
const NAMESPACE = 'first-steps';
const CALLER = `spiffe://cluster.local/ns/${NAMESPACE}/sa/client`;
const IN_FORCE = /^books +True +True +True +2\/2 up to date /;

test.before(async (t) => {
  if (available === undefined) return;
  const cluster = await startCluster(available);
  t.context.cluster = cluster;
  await cluster.kubectl(['apply', '-f', MANIFESTS]);
  await rolledOut(cluster, 'mesh-system', 'meshd');
  await webhooksAnswer(cluster);
});

test.after.always(async (t) => {
  await t.context.cluster?.close();
});

e2eTest(
  'after an install, kubectl diff shows no difference, even with the fields that meshd wrote into its webhooks',
  async (t) => {
    const { cluster } = t.context;
    if (cluster === undefined) throw new Error('the cluster did not start');
    t.is(await cluster.kubectl(['diff', '-f', MANIFESTS]), '');
  },
);

e2eTest('the first steps of docs/kubernetes.md: sidecars, mutual TLS and a quota, with kubectl alone', async (t) => {
  const { cluster } = t.context;
  if (cluster === undefined) throw new Error('the cluster did not start');
  const limits = `--from-file=policy=${join(projectRoot(), 'samples/first-steps-limits.yaml')}`;
  await cluster.kubectl([...SYSTEM, 'create', 'configmap', 'mesh-policy', limits]);
  await cluster.kubectl(['apply', '-f', join(projectRoot(), 'samples/first-steps/')]);
  await rolledOut(cluster, NAMESPACE, 'books');
  await rolledOut(cluster, NAMESPACE, 'client');
  const [pod = ''] = await podsOf(cluster, ['--namespace', NAMESPACE], 'app=client');
  const client = startAgent(cluster.enterPod(pod));
  t.teardown(() => client.stop());

  await eventually(
    'books knows who calls it',
    async () => (await client.request('http://books/')).body === `/ for ${CALLER}\n`,
    PATIENT,
  );
  let status = '';
  await eventually(
    'the QuotaSpec is in force, and the policy server knows its limit',
    async () => {
      status = await cluster.kubectl(['-n', NAMESPACE, 'get', 'quotaspecs', 'books', '--no-headers']);
      return IN_FORCE.test(status);
    },
    PATIENT,
  );
  t.log(status.trim());

  for (const books of await podsOf(cluster, ['--namespace', NAMESPACE], 'app=books')) {
    await knowsPolicyServers(cluster, books);
  }

  const orders = Array.from({ length: 15 }, () => ({ url: 'http://books/orders' }));
  t.deepEqual(countStatuses(await client.call('requestMany', { requests: orders, concurrency: 5 })), {
    200: 10,
    429: 5,
  });
  t.is((await client.request('http://books/orders')).body, 'Quota is exhausted for: orders');
  t.is((await client.request('http://books/')).status, 200, 'other requests are free');
});

/** Settings of users with the version of the object, which shows that no other client wrote it. */
async function settingsOf(cluster: Cluster): Promise<string> {
  const names = ['mesh', 'mesh-policy', 'mesh-sidecar-injector'];
  const columns = 'jsonpath={range .items[*]}{.metadata.name} {.metadata.resourceVersion} {.data}{"\\n"}{end}';
  return await cluster.kubectl([...SYSTEM, 'get', 'configmaps', ...names, '-o', columns]);
}

/** Fields of the webhook configurations that meshd writes. */
async function webhooksOf(cluster: Cluster): Promise<string> {
  const names = [
    'validatingwebhookconfigurations/meshd-mesh-system',
    'mutatingwebhookconfigurations/mesh-sidecar-injector',
  ];
  const fields = ['{.failurePolicy} {.rules} {.clientConfig.caBundle}', '{"\\n"}'].join('');
  return await cluster.kubectl(['get', ...names, '-o', `jsonpath={range .items[*].webhooks[*]}${fields}{end}`]);
}

e2eTest(
  'an upgrade with kubectl apply keeps the settings of users and the fields that meshd wrote, and adds new objects',
  async (t) => {
    const { cluster } = t.context;
    if (cluster === undefined) throw new Error('the cluster did not start');
    const create = (name: string, literal: string) =>
      cluster.kubectl([...SYSTEM, 'create', 'configmap', name, `--from-literal=${literal}`]);
    await create('mesh', 'mesh=reportBatchMaxTime: 2s');
    await create('mesh-sidecar-injector', 'values={ proxy: { logLevel: info } }');
    await cluster.kubectl([...SYSTEM, 'set', 'env', 'deployment/meshd', 'NAV_STATUS_BURST=50']);
    await rolledOut(cluster, 'mesh-system', 'meshd');
    const [settings, webhooks] = [await settingsOf(cluster), await webhooksOf(cluster)];
    t.regex(webhooks, /^Fail .*quotaspecs.* \S+\nFail .*pods.* \S+\n$/);

    const later = await laterVersion();
    t.teardown(() => later.remove());
    await cluster.kubectl(['apply', '-f', later.folder]);
    t.is(await webhooksOf(cluster), webhooks, 'at once, so that nothing passes unchecked meanwhile');
    await rolledOut(cluster, 'mesh-system', 'meshd');
    t.is(await webhooksOf(cluster), webhooks);
    t.is(await settingsOf(cluster), settings);
    t.is(await cluster.kubectl(['diff', '-f', later.folder]), '');
    const burst = 'jsonpath={..env[?(@.name=="NAV_STATUS_BURST")].value}';
    t.is(await cluster.kubectl([...SYSTEM, 'get', 'deployment', 'meshd', '-o', burst]), '50');

    const probe = ['run', 'probe', '--image=navigator-discovery', '--dry-run=server', '-o', 'json'];
    await eventually(
      'a new pod has the log level of users and the probe of the later version',
      async () => {
        const pod = await cluster.kubectl(['-n', NAMESPACE, ...probe]);
        return /"--log-level",\s*"info"/.test(pod) && /"periodSeconds": 3\b/.test(pod);
      },
      PATIENT,
    );
    const meshd = await eventually(
      'the pods of earlier versions are gone',
      async () => {
        const [pod, ...others] = await podsOf(cluster, SYSTEM, 'app.kubernetes.io/name=meshd');
        return others.length === 0 && pod;
      },
      PATIENT,
    );
    const inside = startAgent(cluster.enterPod(meshd));
    t.teardown(() => inside.stop());
    const { body } = await inside.request('http://127.0.0.1:8080/debug/mesh');
    t.like(JSON.parse(body), {
      // Of users, of the later version, and of the installation as it was.
      policy: { reportBatchMaxTimeMs: 2000, reportBatchMaxEntries: 50, mixerCheckServer: 'embedded' },
      defaultConfig: { discoveryAddress: 'meshd.mesh-system.svc:15012' },
    });
  },
);
