import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import anyTest, { type TestFn } from 'ava';
import { startAgent } from '../counterparts/agent.js';
import { type Cluster, startCluster } from '../counterparts/kubernetes/cluster.js';
import { requireCluster } from '../counterparts/kubernetes/find-cluster.js';
import { projectRoot } from '../counterparts/project-root.js';
import { eventually } from '../support/eventually.js';
import { PATIENT, podsOf, rolledOut, webhooksAnswer } from './cluster-mesh.js';
import { laterVersion } from './later-version.js';
import { createRoot } from './plugged-in-authority.js';
import { openRunbooks, type Runbooks } from './runbook.js';

const { available } = requireCluster();
const test = anyTest as TestFn<{ cluster?: Cluster; pages?: Runbooks }>;
const e2eTest = available === undefined ? test.serial.skip : test.serial;

const INSTALLATION = 'docs/kubernetes.md';
const SYSTEM = ['-n', 'mesh-system'];
const MANIFESTS = join(projectRoot(), 'manifests/');
const NAMESPACE = 'first-steps';

test.before(async (t) => {
  if (available === undefined) return;
  const cluster = await startCluster(available);
  t.context.cluster = cluster;
  t.context.pages = await openRunbooks(cluster);
  await cluster.kubectl(['apply', '-f', MANIFESTS]);
  await rolledOut(cluster, 'mesh-system', 'meshd');
  await webhooksAnswer(cluster);
});

test.after.always(async (t) => {
  await t.context.pages?.close();
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

e2eTest('the commands that check an installation, of docs/kubernetes.md', async (t) => {
  const { cluster, pages } = t.context;
  if (cluster === undefined || pages === undefined) throw new Error('the cluster did not start');
  const [look = '', forward = '', exec = '', ...others] = pages.blocksOf('Check the installation', INSTALLATION);
  t.deepEqual(others, []);
  t.regex(await pages.run(look), /successfully rolled out[\s\S]*"msg":/);
  const [tunnel = '', curl = ''] = forward.split('\n');
  const asked = `${tunnel} >/dev/null & until ${curl.replace(/ #.*/, '')}; do sleep 0.2; done; kill $!`;
  t.is((await pages.run(asked)).trim(), '[]');
  t.is((await pages.run(exec)).trim(), '[]');
});

e2eTest('the first steps of docs/kubernetes.md: sidecars, mutual TLS and a quota, with kubectl alone', async (t) => {
  const { cluster, pages } = t.context;
  if (cluster === undefined || pages === undefined) throw new Error('the cluster did not start');
  await pages.follow('First steps', INSTALLATION);
  await pages.follow('Are checks on');
  t.pass();
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
    t.regex(webhooks, /^Fail .*quotaspecs.* \S+\n(?:Fail .*pods.* \S+\n){2}$/);

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

e2eTest(
  'the commands of the pages about settings, injection, gateways and certificates run as they are shown',
  async (t) => {
    const { cluster, pages } = t.context;
    if (cluster === undefined || pages === undefined) throw new Error('the cluster did not start');
    const runAll = async (page: string, heading: string) => {
      for (const block of pages.blocksOf(heading, page)) await pages.run(block);
    };
    const { privateKey, certificate, roots } = await createRoot();
    const files = {
      'limits.yaml': await readFile(join(projectRoot(), 'samples/first-steps-limits.yaml'), 'utf8'),
      'ca-key.pem': privateKey,
      'ca-cert.pem': certificate,
      'cert-chain.pem': certificate,
      'root-cert.pem': roots,
    };
    for (const [name, text] of Object.entries(files)) await writeFile(join(pages.folder, name), text);
    const [remove = ''] = pages.blocksOf('First steps', INSTALLATION);
    await pages.run(remove);
    const settings = ['delete', 'configmap', '--ignore-not-found'];
    await cluster.kubectl([...SYSTEM, ...settings, 'mesh', 'mesh-sidecar-injector']);
    await runAll(INSTALLATION, 'Settings');
    await cluster.kubectl([...SYSTEM, ...settings, 'mesh-sidecar-injector']);
    await runAll('docs/injection.md', 'Change what is injected');
    await rolledOut(cluster, 'mesh-system', 'meshd');

    await cluster.kubectl(['create', 'namespace', 'shop']);
    await cluster.kubectl(['-n', 'shop', 'create', 'deployment', 'web', '--image=host', '--', 'sleep', '1000']);
    await runAll('docs/injection.md', 'Sidecar injection');
    await rolledOut(cluster, 'shop', 'web');
    const containers = 'jsonpath={.items[*].spec.initContainers[*].name}';
    await eventually(
      'the restarted pods have a sidecar',
      async () => (await cluster.kubectl(['-n', 'shop', 'get', 'pods', '-o', containers])) === 'mesh-init mesh-proxy',
      PATIENT,
    );
    await runAll('docs/gateways.md', 'Install an ingress gateway');
    await runAll('docs/certificates.md', 'Use a CA of your own');
    await rolledOut(cluster, 'mesh-system', 'meshd');
    const root = 'jsonpath={.data.root-cert\\.pem}';
    await eventually(
      'the root of the new CA is in every namespace',
      async () => {
        const map = await cluster.kubectl(['-n', 'shop', 'get', 'configmap', 'mesh-ca-root-cert', '-o', root]);
        return map.trim() === roots.trim();
      },
      PATIENT,
    );
    await runAll('docs/certificates.md', 'Replace a leaked key');
    t.pass();
  },
);
