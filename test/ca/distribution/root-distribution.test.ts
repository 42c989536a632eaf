import test, { type ExecutionContext } from 'ava';
import { systemClock } from '../../../src/base/clock.js';
import { createRootDistribution } from '../../../src/ca/distribution/root-distribution.js';
import { createApiClient } from '../../../src/kubernetes/client/api-client.js';
import { createApiSender, type SendRequest } from '../../../src/kubernetes/client/api-sender.js';
import { loadClusterAccess } from '../../../src/kubernetes/client/cluster-access.js';
import { createListWatcher } from '../../../src/kubernetes/watch/list-watcher.js';
import { type ApiServer, READERS, startApiServer } from '../../counterparts/kubernetes/api-server.js';
import { requireKubernetes } from '../../counterparts/kubernetes/find-testcluster.js';
import { untilGranted } from '../../counterparts/kubernetes/until-granted.js';
import { eventually } from '../../support/eventually.js';
import { createRecordingLogger } from '../../support/recording-logger.js';
import { materialOf, selfSigned } from '../support/material.js';
import { createTestAuthority } from '../support/test-authority.js';

const { available: binary } = requireKubernetes();
// The tests share one API server, and each keeps the roots of all its namespaces.
const it = binary === undefined ? test.skip : test.serial;
const USER_AGENT = 'navigator-discovery/test';
const OWN = 'mesh-system';
const [READER = ''] = READERS;
const LABEL = 'mesh.internal/config';

let api: ApiServer;

if (binary !== undefined) {
  test.before(async () => {
    api = await startApiServer({ binary });
    await api.client.applyAll([namespaceOf(OWN), ...rights()]);
    await untilGranted(api, READER, { verb: 'list', group: '', resource: 'namespaces' });
  });
  test.after.always(() => api?.close());
}

function namespaceOf(name: string) {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
}

/** What the control plane needs for this, and nothing else. */
function rights() {
  const version = 'rbac.authorization.k8s.io/v1';
  const subjects = [{ kind: 'User', name: READER, apiGroup: 'rbac.authorization.k8s.io' }];
  const rules = [
    { apiGroups: [''], resources: ['namespaces'], verbs: ['list', 'watch'] },
    {
      apiGroups: [''],
      resources: ['configmaps'],
      resourceNames: ['mesh-ca-root-cert'],
      verbs: ['list', 'watch', 'create', 'patch'],
    },
    { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get', 'create', 'update'] },
  ];
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'roots' };
  return [
    { apiVersion: version, kind: 'ClusterRole', metadata: { name: 'roots' }, rules },
    { apiVersion: version, kind: 'ClusterRoleBinding', metadata: { name: 'roots' }, roleRef, subjects },
  ];
}

interface ConfigMap {
  readonly metadata: { readonly labels?: Readonly<Record<string, string>> };
  readonly data?: Readonly<Record<string, string>>;
}

async function read(namespace: string): Promise<ConfigMap | undefined> {
  const { status, body } = await api.client.send('GET', `/api/v1/namespaces/${namespace}/configmaps/mesh-ca-root-cert`);
  return status === 200 ? (body as ConfigMap) : undefined;
}

async function has(namespace: string, roots: string): Promise<void> {
  await eventually(`the roots in ${namespace}`, async () => (await read(namespace))?.data?.['root-cert.pem'] === roots);
}

/** One replica, with the rights above. */
async function createReplica(t: ExecutionContext, identity: string, wrap = (send: SendRequest): SendRequest => send) {
  const access = await loadClusterAccess({ orchConfig: await api.kubeconfigOf(READER), environment: {} });
  const logger = createRecordingLogger();
  const authority = await createTestAuthority(systemClock);
  const distribution = createRootDistribution({
    authority,
    send: wrap(createApiSender(access, { userAgent: USER_AGENT, timeoutMs: 60_000 })),
    createWatcher: () => {
      const client = createApiClient(access, USER_AGENT);
      return createListWatcher({ api: client, server: access.server, clock: systemClock, logger });
    },
    meshDomain: 'mesh.internal',
    namespace: OWN,
    identity,
    // Waits of a minute take a second here.
    clock: { ...systemClock, schedule: (ms, run) => systemClock.schedule(Math.min(ms, 1_000), run) },
    logger,
    random: () => 0.5,
    // A lease outlasts some seconds in which its holder is not scheduled.
    timing: { leaseMs: 20_000, renewMs: 15_000, retryMs: 500, lookMs: 100 },
  });
  t.teardown(async () => {
    await distribution.stop();
    access.close();
  });
  return { distribution, authority, logger, roots: () => authority.bundle().roots.join('') };
}

it('every namespace has the roots, also a new one, and after they change or somebody spoils them', async (t) => {
  await api.client.applyAll([namespaceOf('shop'), namespaceOf('bank')]);
  const { distribution, authority, roots, logger } = await createReplica(t, 'a');
  distribution.start();
  for (const namespace of ['default', 'kube-system', OWN, 'shop', 'bank']) await has(namespace, roots());
  t.is((await read('shop'))?.metadata.labels?.[LABEL], 'true');

  await api.client.apply(namespaceOf('late'));
  await has('late', roots());

  const path = (namespace: string): string => `/api/v1/namespaces/${namespace}/configmaps/mesh-ca-root-cert`;
  await api.client.send('DELETE', path('shop'));
  await has('shop', roots());
  const spoil = { metadata: { labels: { [LABEL]: null } }, data: { 'root-cert.pem': 'spoilt', other: 'kept' } };
  await api.client.send('PATCH', path('bank'), spoil, 'application/merge-patch+json');
  await has('bank', roots());
  const bank = await eventually('the label', async () => {
    const found = await read('bank');
    return found?.metadata.labels?.[LABEL] === 'true' ? found : undefined;
  });
  t.is(bank.data?.['other'], 'kept', 'what others put there stays');

  const other = await selfSigned();
  authority.replace(materialOf({ ...other, roots: other.roots + roots() }));
  for (const namespace of ['default', 'shop', 'late']) await has(namespace, roots());
  t.is((await read('shop'))?.data?.['root-cert.pem']?.match(/BEGIN CERTIFICATE/g)?.length, 2);
  t.deepEqual(
    logger.records.filter(({ level }) => level === 'error'),
    [],
  );
});

it('a namespace that is being deleted is left alone', async (t) => {
  const finalizers = ['mesh.internal/test'];
  const leaving = { ...namespaceOf('leaving'), metadata: { name: 'leaving', finalizers } };
  await api.client.apply(leaving);
  await api.client.send('DELETE', '/api/v1/namespaces/leaving');
  const { body } = await api.client.send('GET', '/api/v1/namespaces/leaving');
  t.is((body as { readonly status?: { readonly phase?: string } }).status?.phase, 'Terminating');
  const writes: string[] = [];
  const { distribution, roots, logger } = await createReplica(t, 'b', (send) => async (request) => {
    if (request.method === 'PATCH') writes.push(request.path);
    return await send(request);
  });
  distribution.start();
  await has('default', roots());
  await api.client.apply(namespaceOf('after-it'));
  await has('after-it', roots());
  t.is(await read('leaving'), undefined);
  t.false(writes.some((path) => path.includes('/leaving/')));
  t.deepEqual(
    logger.records.filter(({ level }) => level === 'error' || level === 'warn'),
    [],
  );
  await api.client.send(
    'PATCH',
    '/api/v1/namespaces/leaving',
    { metadata: { finalizers: null } },
    'application/merge-patch+json',
  );
});

it('one of two replicas writes, and the other one when the first has stopped', async (t) => {
  const first = await createReplica(t, 'c');
  const second = await createReplica(t, 'd');
  first.distribution.start();
  await has('default', first.roots());
  second.distribution.start();
  await api.client.apply(namespaceOf('of-the-first'));
  await has('of-the-first', first.roots());
  await first.distribution.stop();
  await has('default', second.roots());
  await has('of-the-first', second.roots());
  t.not(first.roots(), second.roots());
});

it('what fails is tried again, and what is refused is told once with the remedy', async (t) => {
  let failures = 3;
  const { distribution, roots, logger } = await createReplica(t, 'e', (send) => async (request) => {
    if (request.method !== 'PATCH' || !request.path.includes('/configmaps/')) return await send(request);
    failures -= 1;
    if (failures === 2) throw new Error('socket hang up');
    if (failures === 1) return { status: 503, body: { message: 'etcd has no leader' }, retryAfterMs: undefined };
    if (failures <= 0 && request.path.includes('/default/')) {
      return { status: 403, body: { message: 'configmaps is forbidden' }, retryAfterMs: undefined };
    }
    return await send(request);
  });
  distribution.start();
  await has('kube-system', roots());
  await has(OWN, roots());
  const told = (): readonly string[] =>
    logger.records.filter(({ level }) => level !== 'debug').map(({ message }) => message);
  await eventually('the refusal', () => told().includes('root certificate write rejected'));
  const refusal = logger.records.find(({ level }) => level === 'error');
  t.is(
    refusal?.fields['remedy'],
    'let the service account create and patch configmaps mesh-ca-root-cert in all namespaces',
  );
  t.is(told().filter((message) => message === 'root certificate write failed, retrying').length, 1);
  t.is(told().filter((message) => message === 'root certificate writes resumed').length, 1);
  t.not((await read('default'))?.data?.['root-cert.pem'], roots());
});

it('somebody who undoes every change does not make us write without end', async (t) => {
  let writes = 0;
  const warning = 'root certificates overwritten by another writer';
  const isTold = (): boolean => logger.records.some(({ message }) => message === warning);
  const { distribution, roots, logger } = await createReplica(t, 'f', (send) => async (request) => {
    if (request.method !== 'PATCH' || !request.path.includes('/default/configmaps/')) return await send(request);
    if (!isTold()) writes += 1;
    const answer = await send(request);
    await send({ ...request, body: { ...(request.body as object), data: { 'root-cert.pem': `other ${writes}` } } });
    return answer;
  });
  distribution.start();
  await has('kube-system', roots());
  await eventually('the warning', isTold);
  t.true(writes <= 10, `${writes} writes`);
});
