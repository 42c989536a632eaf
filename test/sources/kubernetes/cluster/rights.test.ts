import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { type ApiServer, READERS, startApiServer } from '../../../counterparts/kubernetes/api-server.js';
import { startFaultProxy } from '../../../counterparts/kubernetes/fault-proxy.js';
import { requireKubernetes } from '../../../counterparts/kubernetes/find-testcluster.js';
import type { KubernetesManifest } from '../../../counterparts/kubernetes/kubernetes-client.js';
import { untilGranted } from '../../../counterparts/kubernetes/until-granted.js';
import { eventually } from '../../../support/eventually.js';
import { type ClusterHarness, createClusterHarness } from '../support/cluster-harness.js';
import { allCrds, namespaceManifest, quotaSpecManifest, serviceManifest } from '../support/manifests.js';
import { CONFIG_RULES, type RbacRule, READER_RULES } from '../support/reader-rules.js';

const { available: binary } = requireKubernetes();
const it = binary === undefined ? test.skip : test;
const FORBIDDEN =
  'a kind of object may not be read, grant get, list and watch to this service account; the rest is served';

let api: ApiServer;

if (binary !== undefined) {
  test.before(async () => {
    api = await startApiServer({ binary });
    await api.client.applyAll(allCrds());
  });
  test.after.always(() => api?.close());
}

const RBAC = 'rbac.authorization.k8s.io';

const clusterRole = (user: string, rules: readonly RbacRule[]): KubernetesManifest => ({
  apiVersion: `${RBAC}/v1`,
  kind: 'ClusterRole',
  metadata: { name: user },
  rules,
});
const subjectOf = (user: string): object => ({ kind: 'User', name: user, apiGroup: RBAC });
const clusterRoleBinding = (user: string, subject = subjectOf(user)): KubernetesManifest => ({
  apiVersion: `${RBAC}/v1`,
  kind: 'ClusterRoleBinding',
  metadata: { name: user },
  roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: user },
  subjects: [subject],
});

interface Rig {
  readonly user: string;
  readonly namespace: string;
  readonly harness: ClusterHarness;
}

/** A user with these rights, a namespace of the test's own with a service `web` in it, and a source that is that user. */
async function createRig(
  t: ExecutionContext,
  number: number,
  rules: readonly RbacRule[],
  overrides: Parameters<typeof createClusterHarness>[2] = {},
): Promise<Rig> {
  const user = READERS[number] ?? '';
  const namespace = `of-${user}`;
  await api.client.applyAll([clusterRole(user, rules), clusterRoleBinding(user), namespaceManifest(namespace)]);
  await api.client.apply(serviceManifest('web', namespace));
  const [rule] = rules;
  if (rule !== undefined) {
    // The API server learns of all rules of a role at once.
    const [group = '', resource = '', verb = ''] = [rule.apiGroups[0], rule.resources[0], rule.verbs[0]];
    await untilGranted(api, user, { verb, group, resource });
  }
  return { user, namespace, harness: createClusterHarness(t, await api.kubeconfigOf(user), overrides) };
}

const forbiddenResources = ({ log }: ClusterHarness): readonly string[] =>
  log
    .filter(({ message }) => message === FORBIDDEN)
    .map(({ fields }) => `${fields['verb']} ${fields['resource']}`)
    .sort();

it('list and watch on what is read are all the rights it takes', async (t) => {
  const { harness, namespace } = await createRig(t, 0, READER_RULES);
  await api.client.apply(quotaSpecManifest('limits', namespace));
  await harness.start();
  t.true(harness.objects.has(`Service/${namespace}/web`));
  t.true(harness.objects.has(`QuotaSpec/${namespace}/limits`));
  await api.client.apply(quotaSpecManifest('late', namespace));
  await eventually('watching is allowed too', () => harness.objects.has(`QuotaSpec/${namespace}/late`));
  t.deepEqual(harness.source.forbidden(), []);
  t.deepEqual(harness.messages('error'), []);
});

it('what may not be read is told of once, by verb and resource; the rest works, and so does a right that comes later', async (t) => {
  const { harness, namespace, user } = await createRig(t, 1, [
    { apiGroups: [''], resources: ['services', 'endpoints', 'namespaces'], verbs: ['list', 'watch'] },
    { apiGroups: [''], resources: ['pods'], verbs: ['list'] },
    ...CONFIG_RULES,
  ]);
  await harness.start();
  t.true(harness.objects.has(`Service/${namespace}/web`));
  await eventually('both are told of', () => harness.source.forbidden().length === 2);
  t.deepEqual(forbiddenResources(harness), ['list nodes', 'watch pods']);
  t.regex(harness.source.forbidden().join('\n'), /User "reader-1" cannot list resource "nodes"/);
  await api.client.apply(serviceManifest('late', namespace));
  await eventually('the rest works', () => harness.objects.has(`Service/${namespace}/late`));

  await api.client.apply({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'node-a' } });
  await api.client.apply(clusterRole(user, READER_RULES));
  await eventually('nodes are read now', () => harness.objects.has('Node//node-a'));
  await eventually('pods are watched now', () => harness.source.forbidden().length === 0);
  t.is(forbiddenResources(harness).length, 2);
  t.is(harness.messages('info').filter((message) => message === 'a kind of object may be read now').length, 2);
});

it('what may be listed and not watched is listed again and again', async (t) => {
  const unwatched = READER_RULES.map((rule) => ({ ...rule, verbs: ['list'] }));
  const { harness, namespace } = await createRig(t, 2, unwatched);
  await harness.start();
  for (const name of ['one', 'two']) {
    await api.client.apply(serviceManifest(name, namespace));
    await eventually(`${name} is found`, () => harness.objects.has(`Service/${namespace}/${name}`));
  }
  t.true(harness.batches.length >= 3);
});

it('a right that is taken away leaves what was read', async (t) => {
  const proxy = await startFaultProxy(api);
  const { user, namespace } = await createRig(t, 3, READER_RULES);
  const harness = createClusterHarness(t, await api.kubeconfigOf(user, proxy.url));
  t.teardown(async () => {
    await harness.source.stop();
    await proxy.close();
  });
  await harness.start();
  await api.client.apply(clusterRole(user, []));
  const cut = setInterval(() => proxy.cut(), 200);
  t.teardown(() => clearInterval(cut));
  await eventually('it is told', () => harness.source.forbidden().length >= 5);
  clearInterval(cut);
  t.true(harness.objects.has(`Service/${namespace}/web`));
  await api.client.apply(clusterRole(user, READER_RULES));
  await api.client.delete(serviceManifest('web', namespace));
  await eventually('it is read again', () => !harness.objects.has(`Service/${namespace}/web`));
});

it('with rights in one namespace alone, it reads what is there', async (t) => {
  const { user, namespace } = await createRig(t, 4, []);
  await api.client.applyAll([
    { apiVersion: `${RBAC}/v1`, kind: 'Role', metadata: { name: user, namespace }, rules: READER_RULES },
    {
      apiVersion: `${RBAC}/v1`,
      kind: 'RoleBinding',
      metadata: { name: user, namespace },
      roleRef: { apiGroup: RBAC, kind: 'Role', name: user },
      subjects: [subjectOf(user)],
    },
  ]);
  await untilGranted(api, user, { verb: 'list', group: '', resource: 'services', namespace });
  const harness = createClusterHarness(t, await api.kubeconfigOf(user), { namespaces: [namespace] });
  await harness.start();
  t.deepEqual([...harness.objects.keys()], [`Service/${namespace}/web`]);
  t.deepEqual(forbiddenResources(harness), ['list ingressclasses.networking.k8s.io', 'list namespaces', 'list nodes']);
});

it('from inside of the cluster it reads with the mounted token of its service account', async (t) => {
  const [user, namespace] = ['meshd', 'mounted'];
  await api.client.apply(namespaceManifest(namespace));
  await api.client.applyAll([
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: user, namespace } },
    clusterRole(user, READER_RULES),
    clusterRoleBinding(user, { kind: 'ServiceAccount', name: user, namespace }),
    serviceManifest('web', namespace),
  ]);
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${user}/token`;
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
  const access = { orchConfig: '', environment, serviceAccountFolder: folder };
  const harness = createClusterHarness(t, '', { access });
  await harness.start();
  t.true(harness.objects.has(`Service/${namespace}/web`));
  t.deepEqual(harness.messages('error'), []);
});
