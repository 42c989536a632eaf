import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { type ApiServer, startApiServer } from '../../../counterparts/kubernetes/api-server.js';
import { requireKubernetes } from '../../../counterparts/kubernetes/find-testcluster.js';
import type { KubernetesManifest } from '../../../counterparts/kubernetes/kubernetes-client.js';
import { waitUntil } from '../../support/wait-until.js';
import { type ClusterHarness, createClusterHarness } from '../support/cluster-harness.js';
import {
  allCrds,
  namespaceManifest,
  networkingCrd,
  quotaSpecManifest,
  readManifests,
  serviceManifest,
} from '../support/manifests.js';

const { available: binary } = requireKubernetes();
const it = binary === undefined ? test.serial.skip : test.serial;
const FORBIDDEN =
  'a kind of object may not be read, grant get, list and watch to this service account; the rest is served';

async function startOwn(t: ExecutionContext, crds: readonly KubernetesManifest[] = allCrds()): Promise<ApiServer> {
  const api = await startApiServer({ binary: String(binary) });
  t.teardown(() => api.close());
  await api.client.applyAll(crds);
  return api;
}

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

const RBAC = 'rbac.authorization.k8s.io';
const ALL_RULES: readonly Rule[] = [
  { apiGroups: [''], resources: ['services', 'endpoints', 'pods', 'nodes', 'namespaces'], verbs: ['list', 'watch'] },
  { apiGroups: ['config.mesh.internal', 'networking.mesh.internal'], resources: ['*'], verbs: ['list', 'watch'] },
];

const clusterRole = (rules: readonly Rule[]): KubernetesManifest => ({
  apiVersion: `${RBAC}/v1`,
  kind: 'ClusterRole',
  metadata: { name: 'reader' },
  rules,
});
const subjects = [{ kind: 'User', name: 'reader', apiGroup: RBAC }];
const clusterRoleBinding: KubernetesManifest = {
  apiVersion: `${RBAC}/v1`,
  kind: 'ClusterRoleBinding',
  metadata: { name: 'reader' },
  roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: 'reader' },
  subjects,
};

const forbiddenResources = ({ log }: ClusterHarness): readonly string[] =>
  log
    .filter(({ message }) => message === FORBIDDEN)
    .map(({ fields }) => `${fields['verb']} ${fields['resource']}`)
    .sort();

it('list and watch on what is read are all the rights it takes', async (t) => {
  const api = await startOwn(t);
  await api.client.applyAll([
    clusterRole(ALL_RULES),
    clusterRoleBinding,
    serviceManifest('web'),
    quotaSpecManifest('limits'),
  ]);
  const harness = createClusterHarness(t, await api.kubeconfigOf('reader'));
  await harness.start();
  t.true(harness.objects.has('Service/default/web'));
  t.true(harness.objects.has('QuotaSpec/default/limits'));
  await api.client.apply(quotaSpecManifest('late'));
  await waitUntil(() => harness.objects.has('QuotaSpec/default/late'), 'watching is allowed too');
  t.deepEqual(harness.source.forbidden(), []);
  t.deepEqual(harness.messages('error'), []);
});

it('what may not be read is told of once, by verb and resource; the rest works, and so does a right that comes later', async (t) => {
  const api = await startOwn(t);
  const narrow: readonly Rule[] = [
    { apiGroups: [''], resources: ['services', 'endpoints', 'namespaces'], verbs: ['list', 'watch'] },
    { apiGroups: [''], resources: ['pods'], verbs: ['list'] },
    { apiGroups: ['config.mesh.internal', 'networking.mesh.internal'], resources: ['*'], verbs: ['list', 'watch'] },
  ];
  await api.client.applyAll([clusterRole(narrow), clusterRoleBinding, serviceManifest('web')]);
  const harness = createClusterHarness(t, await api.kubeconfigOf('reader'));
  await harness.start();
  t.true(harness.objects.has('Service/default/web'));
  await waitUntil(() => harness.source.forbidden().length === 2, 'both are told of');
  t.deepEqual(forbiddenResources(harness), ['list nodes', 'watch pods']);
  t.regex(harness.source.forbidden().join('\n'), /User "reader" cannot list resource "nodes"/);
  await api.client.apply(serviceManifest('late'));
  await waitUntil(() => harness.objects.has('Service/default/late'), 'the rest works');

  const node: KubernetesManifest = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'node-a' } };
  await api.client.apply(node);
  await api.client.apply(clusterRole(ALL_RULES));
  await waitUntil(() => harness.objects.has('Node//node-a'), 'nodes are read now');
  await waitUntil(() => harness.source.forbidden().length === 0, 'pods are watched now');
  t.is(forbiddenResources(harness).length, 2);
  t.is(harness.messages('info').filter((message) => message === 'a kind of object may be read now').length, 2);
});

it('pods that may be listed and not watched are listed again and again', async (t) => {
  const api = await startOwn(t);
  const unwatched = ALL_RULES.map((rule) => ({ ...rule, verbs: ['list'] }));
  await api.client.applyAll([clusterRole(unwatched), clusterRoleBinding]);
  const harness = createClusterHarness(t, await api.kubeconfigOf('reader'));
  await harness.start();
  await api.client.apply(serviceManifest('late'));
  await waitUntil(() => harness.objects.has('Service/default/late'), 'it is found');
  t.true(harness.batches.length >= 2);
});

it('a right that is taken away leaves what was read', async (t) => {
  const api = await startOwn(t);
  await api.client.applyAll([clusterRole(ALL_RULES), clusterRoleBinding, serviceManifest('web')]);
  const harness = createClusterHarness(t, await api.kubeconfigOf('reader'));
  await harness.start();
  await api.client.apply(clusterRole([]));
  await api.stopApi();
  await api.startApi();
  await waitUntil(() => harness.source.forbidden().length >= 5, 'it is told');
  t.true(harness.objects.has('Service/default/web'));
  await api.client.apply(clusterRole(ALL_RULES));
  await api.client.delete(serviceManifest('web'));
  await waitUntil(() => !harness.objects.has('Service/default/web'), 'it is read again');
});

it('in a namespace of its own, with rights in that alone, it reads what is there', async (t) => {
  const api = await startOwn(t);
  await api.client.apply(namespaceManifest('mine'));
  const rules = ALL_RULES;
  await api.client.applyAll([
    { apiVersion: `${RBAC}/v1`, kind: 'Role', metadata: { name: 'reader', namespace: 'mine' }, rules },
    {
      apiVersion: `${RBAC}/v1`,
      kind: 'RoleBinding',
      metadata: { name: 'reader', namespace: 'mine' },
      roleRef: { apiGroup: RBAC, kind: 'Role', name: 'reader' },
      subjects,
    },
    serviceManifest('web', 'mine'),
    serviceManifest('web', 'default'),
  ]);
  const harness = createClusterHarness(t, await api.kubeconfigOf('reader'), { namespaces: ['mine'] });
  await harness.start();
  t.deepEqual([...harness.objects.keys()], ['Service/mine/web']);
  t.deepEqual(forbiddenResources(harness), ['list namespaces', 'list nodes']);
});

it('CRDs that come after the start are read as soon as they are there, in the version that they have', async (t) => {
  const api = await startOwn(t, []);
  const harness = createClusterHarness(t, api.kubeconfig);
  await harness.start();
  const missing = 'a kind of object is not installed, it is read as soon as its CRD is there';
  t.is(harness.messages('info').filter((message) => message === missing).length, 6);
  await api.client.applyAll(readManifests('crds'));
  await api.client.apply(quotaSpecManifest('limits'));
  await waitUntil(() => harness.objects.has('QuotaSpec/default/limits'), 'the new kind is read');
  await api.client.apply(networkingCrd('WorkloadEntry', 'workloadentries', ['v1alpha3']));
  await api.client.apply({
    apiVersion: 'networking.mesh.internal/v1alpha3',
    kind: 'WorkloadEntry',
    metadata: { name: 'vm', namespace: 'default' },
    spec: { address: '10.9.9.9' },
  });
  await waitUntil(() => harness.objects.has('WorkloadEntry/default/vm'), 'the older version is read');
  t.is(harness.objects.get('WorkloadEntry/default/vm')?.apiVersion, 'networking.mesh.internal/v1beta1');
  t.deepEqual(harness.messages('warn'), []);
});

it('a CRD that is removed takes its objects with it, and brings the new ones when it returns', async (t) => {
  const api = await startOwn(t);
  await api.client.applyAll([quotaSpecManifest('limits'), serviceManifest('web')]);
  const harness = createClusterHarness(t, api.kubeconfig);
  await harness.start();
  const crd = readManifests('crds').find(({ metadata }) => metadata.name.startsWith('quotaspecs.'));
  await api.client.delete(crd as KubernetesManifest);
  await waitUntil(() => !harness.objects.has('QuotaSpec/default/limits'), 'its objects are gone');
  t.true(harness.objects.has('Service/default/web'));
  await api.client.apply(crd as KubernetesManifest);
  await api.client.apply(quotaSpecManifest('other'));
  await waitUntil(() => harness.objects.has('QuotaSpec/default/other'), 'the new ones are there');
});

it('from inside of the cluster it reads with the mounted token of its service account', async (t) => {
  const api = await startOwn(t);
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'meshd', namespace: 'default' } };
  await api.client.applyAll([
    account,
    clusterRole(ALL_RULES),
    { ...clusterRoleBinding, subjects: [{ kind: 'ServiceAccount', name: 'meshd', namespace: 'default' }] },
    serviceManifest('web'),
  ]);
  const path = '/api/v1/namespaces/default/serviceaccounts/meshd/token';
  const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 600 } };
  const { body } = await api.client.send('POST', path, request);
  const { token } = (body as { readonly status: { readonly token: string } }).status;
  const folder = join(api.folder, 'mounted');
  await mkdir(folder);
  await writeFile(join(folder, 'token'), token);
  await writeFile(join(folder, 'ca.crt'), api.ca());
  const { hostname, port } = new URL(api.url);
  const environment = {
    KUBERNETES_SERVICE_HOST: '203.0.113.9',
    KUBERNETES_SERVICE_PORT: port,
    ORCH_SERVICE_HOST: hostname,
  };
  const harness = createClusterHarness(t, '', {
    access: { orchConfig: '', environment, serviceAccountFolder: folder },
  });
  await harness.start();
  t.true(harness.objects.has('Service/default/web'));
  t.deepEqual(harness.messages('error'), []);
});
