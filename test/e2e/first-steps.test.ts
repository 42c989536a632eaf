import { join } from 'node:path';
import anyTest, { type TestFn } from 'ava';
import { startAgent } from '../counterparts/agent.js';
import { eventually } from '../counterparts/eventually.js';
import { type Cluster, startCluster } from '../counterparts/kubernetes/cluster.js';
import { requireCluster } from '../counterparts/kubernetes/find-cluster.js';
import { projectRoot } from '../counterparts/project-root.js';
import { knowsPolicyServers, PATIENT, podsOf, rolledOut, webhooksAnswer } from './cluster-mesh.js';
import { countStatuses } from './policy-mesh.js';

const { available } = requireCluster();
const test = anyTest as TestFn<{ cluster?: Cluster }>;
const e2eTest = available === undefined ? test.serial.skip : test.serial;

const NAMESPACE = 'first-steps';
const CALLER = `spiffe://cluster.local/ns/${NAMESPACE}/sa/client`;
const IN_FORCE = /^books +True +True +True +2\/2 up to date /;

test.before(async (t) => {
  if (available === undefined) return;
  const cluster = await startCluster(available);
  t.context.cluster = cluster;
  await cluster.kubectl(['apply', '-f', join(projectRoot(), 'manifests/')]);
  await rolledOut(cluster, 'mesh-system', 'meshd');
  await webhooksAnswer(cluster);
});

test.after.always(async (t) => {
  await t.context.cluster?.close();
});

e2eTest('the first steps of docs/kubernetes.md: sidecars, mutual TLS and a quota, with kubectl alone', async (t) => {
  const { cluster } = t.context;
  if (cluster === undefined) throw new Error('the cluster did not start');
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
    'the QuotaSpec is in force, and the policy server knows how much there is',
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
