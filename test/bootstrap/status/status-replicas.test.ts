import test from 'ava';
import { type ApiServer, READERS, startApiServer } from '../../counterparts/kubernetes/api-server.js';
import { requireKubernetes } from '../../counterparts/kubernetes/find-testcluster.js';
import type { KubernetesManifest } from '../../counterparts/kubernetes/kubernetes-client.js';
import { untilGranted } from '../../counterparts/kubernetes/until-granted.js';
import { allCrds, meshGroups, namespaceManifest } from '../../sources/kubernetes/support/manifests.js';
import { READER_RULES } from '../../sources/kubernetes/support/reader-rules.js';
import { eventually } from '../../support/eventually.js';
import { startStopwatch } from '../../support/stopwatch.js';
import { startCuttableConnection } from './cuttable-connection.js';
import { booksService, hasCondition, quotaBinding, quotaSpec } from './status-objects.js';
import { type StatusInstance, startStatusInstance } from './status-rig.js';

const { available: binary } = requireKubernetes();
const it = binary === undefined ? test.skip : test;

let api: ApiServer;

if (binary !== undefined) {
  test.before(async () => {
    api = await startApiServer({ binary });
    await api.client.applyAll(allCrds());
  });
  test.after.always(() => api?.close());
}

const LEADS = 'this instance leads';
const CEASES = 'this instance does not lead any more';
/** Faster than in earnest; a lease outlasts some seconds in which its holder is not scheduled. */
const FAST = { leaseMs: 12_000, renewMs: 8_000, retryMs: 750, lookMs: 200 };

async function prepare(namespace: string): Promise<void> {
  await api.client.apply(namespaceManifest(namespace));
  await api.client.applyAll([...booksService(namespace), quotaSpec(namespace), quotaBinding(namespace)]);
}

function timesTold({ log }: StatusInstance, text: string): number {
  return log.filter(({ message }) => message === text).length;
}

function hasTold(instance: StatusInstance, text: string): boolean {
  return timesTold(instance, text) > 0;
}

async function holderOf(namespace: string): Promise<string> {
  const path = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/mesh-status-leader`;
  const { body } = await api.client.send('GET', path);
  return (body as { spec: { holderIdentity: string } }).spec.holderIdentity;
}

const reportsOf = async (namespace: string): Promise<readonly string[]> => {
  const selector = encodeURIComponent('internal.mesh.internal/distribution-report=true');
  const { body } = await api.client.send('GET', `/api/v1/namespaces/${namespace}/configmaps?labelSelector=${selector}`);
  return (body as { items: readonly { metadata: { name: string } }[] }).items.map(({ metadata }) => metadata.name);
};

it('one of two instances writes, with the proxies of both; when it stops the other one does within seconds', async (t) => {
  const namespace = 'handover';
  await prepare(namespace);
  const options = { kubeconfig: api.kubeconfig, namespace };
  const first = await startStatusInstance(t, { podName: 'meshd-0', ...options });
  first.connect('books-1', '10.244.1.1');
  await eventually('the first one leads', () => hasTold(first, LEADS));
  const second = await startStatusInstance(t, { podName: 'meshd-1', ...options });
  second.connect('books-2', '10.244.1.2');
  await hasCondition(api, quotaSpec(namespace), 'Reconciled', 'True UpToDate: 2/2 proxies up to date.');
  t.is(await holderOf(namespace), 'meshd-0');
  t.deepEqual(await reportsOf(namespace), ['meshd-0-distribution', 'meshd-1-distribution']);
  t.false(hasTold(second, LEADS));

  const stopwatch = startStopwatch();
  await first.stop();
  await eventually('the second one leads', () => hasTold(second, LEADS));
  const tookMs = stopwatch.stop();
  t.log(`handed over in ${Math.round(tookMs)} ms`);
  t.true(tookMs < 6_000);
  await hasCondition(api, quotaSpec(namespace), 'Reconciled', 'True UpToDate: 1/1 proxies up to date.');
  await eventually('its report is deleted', async () => (await reportsOf(namespace)).join() === 'meshd-1-distribution');
});

it('of two revisions, one writes the statuses of shared objects with the proxies of both, and each those of its own', async (t) => {
  const namespace = 'revisions';
  await prepare(namespace);
  const label = { 'mesh.internal/rev': 'canary' };
  const tried = quotaSpec(namespace, 'tried');
  await api.client.applyAll([
    { ...tried, metadata: { ...tried.metadata, labels: label } },
    { ...quotaBinding(namespace, 'tried'), metadata: { name: 'tried', namespace, labels: label } },
  ]);
  const start = (podName: string, revision: string) =>
    startStatusInstance(t, { podName, kubeconfig: api.kubeconfig, namespace, settings: { revision } });
  const first = await start('meshd-0', 'default');
  first.connect('books-1', '10.244.1.1');
  await eventually('the first one leads', () => timesTold(first, LEADS) === 2);
  const canary = await start('meshd-canary-0', 'canary');
  canary.connect('books-2', '10.244.1.2');
  await hasCondition(api, quotaSpec(namespace), 'Reconciled', 'True UpToDate: 2/2 proxies up to date.');
  await hasCondition(api, tried, 'Reconciled', 'True UpToDate: 1/1 proxies up to date.');
  t.is(timesTold(canary, LEADS), 1);
  t.is(await holderOf(namespace), 'meshd-0');

  await first.stop();
  await hasCondition(api, quotaSpec(namespace), 'Reconciled', 'True UpToDate: 1/1 proxies up to date.');
  t.is(await holderOf(namespace), 'meshd-canary-0');
});

it('a change that one instance has not read yet, or one of its proxies not acknowledged, is in progress', async (t) => {
  const namespace = 'progress';
  await prepare(namespace);
  const options = { kubeconfig: api.kubeconfig, namespace };
  const first = await startStatusInstance(t, { podName: 'meshd-0', ...options });
  const second = await startStatusInstance(t, { podName: 'meshd-1', ...options });
  first.connect('books-1', '10.244.1.1');
  second.connect('books-2', '10.244.1.2');
  await hasCondition(api, quotaBinding(namespace), 'Reconciled', 'True UpToDate: 2/2 proxies up to date.');
  second.freeze('books-2');
  await api.client.apply(quotaBinding(namespace, 'late', 'books'));
  await hasCondition(
    api,
    quotaBinding(namespace, 'late', 'books'),
    'Reconciled',
    'False InProgress: 1/2 proxies up to date.',
  );
  second.release('books-2');
  await hasCondition(
    api,
    quotaBinding(namespace, 'late', 'books'),
    'Reconciled',
    'True UpToDate: 2/2 proxies up to date.',
  );
  second.disconnect('books-2');
  await hasCondition(api, quotaBinding(namespace), 'Reconciled', 'True UpToDate: 1/1 proxies up to date.');
  t.pass();
});

it('a leader that loses the API server ceases to act before another one begins', async (t) => {
  const namespace = 'killed';
  await prepare(namespace);
  const connection = await startCuttableConnection(api.url);
  t.teardown(() => connection.close());
  const settings = { election: FAST };
  const kubeconfig = await api.kubeconfigOf('admin', connection.url);
  const first = await startStatusInstance(t, { podName: 'meshd-0', kubeconfig, namespace, settings });
  await eventually('the first one leads', () => hasTold(first, LEADS));
  const second = await startStatusInstance(t, { podName: 'meshd-1', kubeconfig: api.kubeconfig, namespace, settings });
  connection.cut();
  const cut = performance.now();
  await eventually('the second one leads', () => hasTold(second, LEADS));
  t.log(`taken over after ${Math.round(performance.now() - cut)} ms`);
  t.true(hasTold(first, CEASES));
  second.connect('books-2', '10.244.1.2');
  const expected = 'False InProgress: 1/1 proxies up to date. Not read yet by meshd-0.';
  await api.client.apply(quotaSpec(namespace, 'books', 'requests', 2));
  await hasCondition(api, quotaSpec(namespace), 'Reconciled', expected);
  connection.join();
  await hasCondition(api, quotaSpec(namespace), 'Reconciled', 'True UpToDate: 1/1 proxies up to date.');
  t.is(await holderOf(namespace), 'meshd-1');
});

/** All that status needs of RBAC, beside what the cluster's source reads. */
function rightsOf(user: string, namespace: string): readonly KubernetesManifest[] {
  const api = 'rbac.authorization.k8s.io';
  const subjects = [{ kind: 'User', name: user, apiGroup: api }];
  const metadata = { name: user, namespace };
  return [
    {
      apiVersion: `${api}/v1`,
      kind: 'ClusterRole',
      metadata: { name: user },
      rules: [
        ...READER_RULES,
        { apiGroups: [''], resources: ['events'], verbs: ['create'] },
        ...meshGroups().map((group) => ({ apiGroups: [group], resources: ['*/status'], verbs: ['patch'] })),
      ],
    },
    {
      apiVersion: `${api}/v1`,
      kind: 'ClusterRoleBinding',
      metadata: { name: user },
      roleRef: { apiGroup: api, kind: 'ClusterRole', name: user },
      subjects,
    },
    {
      apiVersion: `${api}/v1`,
      kind: 'Role',
      metadata,
      rules: [
        { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get', 'create', 'update'] },
        { apiGroups: [''], resources: ['configmaps'], verbs: ['list', 'watch', 'create', 'patch', 'delete'] },
      ],
    },
    {
      apiVersion: `${api}/v1`,
      kind: 'RoleBinding',
      metadata,
      roleRef: { apiGroup: api, kind: 'Role', name: user },
      subjects,
    },
  ];
}

it('each missing right is reported once with the right to grant, and the work is done once it is granted', async (t) => {
  const [user = ''] = READERS;
  const namespace = 'rights';
  await prepare(namespace);
  const [clusterRole, clusterBinding, ...ofNamespace] = rightsOf(user, namespace);
  await api.client.applyAll([clusterRole, clusterBinding] as KubernetesManifest[]);
  await untilGranted(api, user, { verb: 'create', group: '', resource: 'events' });
  const settings = { election: FAST };
  const kubeconfig = await api.kubeconfigOf(user);
  const instance = await startStatusInstance(t, { podName: 'meshd-0', kubeconfig, namespace, settings });
  const texts = (): readonly string[] =>
    instance.log.map(({ message, fields }) => `${message} ${fields['remedy'] ?? ''} ${fields['err'] ?? ''}`);
  await eventually('the lease is missed', () =>
    texts().some((text) => /lease of the leader cannot be read or written let the service account/.test(text)),
  );
  await eventually('the report is missed', () =>
    texts().some((text) =>
      /distribution report cannot be written .*let the service account create and patch/.test(text),
    ),
  );
  await api.client.applyAll(ofNamespace);
  instance.connect('books-1', '10.244.1.1');
  await hasCondition(api, quotaSpec(namespace), 'Reconciled', 'True UpToDate: 1/1 proxies up to date.');
  const complaints = instance.log.filter(({ level }) => level === 'warn' || level === 'error');
  t.deepEqual(
    complaints.map(({ message }) => message).sort(),
    ['distribution report cannot be written', 'lease of the leader cannot be read or written'].sort(),
  );
});

it('these rights are all it takes', async (t) => {
  const user = READERS[1] ?? '';
  const namespace = 'enough';
  await prepare(namespace);
  await api.client.applyAll(rightsOf(user, namespace));
  await untilGranted(api, user, { verb: 'create', group: '', resource: 'events' });
  await untilGranted(api, user, { verb: 'create', group: '', resource: 'configmaps', namespace });
  const instance = await startStatusInstance(t, {
    podName: 'meshd-0',
    kubeconfig: await api.kubeconfigOf(user),
    namespace,
  });
  instance.connect('books-1', '10.244.1.1');
  await hasCondition(api, quotaSpec(namespace), 'Reconciled', 'True UpToDate: 1/1 proxies up to date.');
  await instance.stop();
  await eventually('its report is deleted', async () => (await reportsOf(namespace)).length === 0);
  t.deepEqual(
    instance.log.filter(({ level }) => level === 'warn' || level === 'error'),
    [],
  );
});
