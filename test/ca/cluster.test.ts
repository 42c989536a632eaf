import test, { type ExecutionContext } from 'ava';
import { Registry } from 'prom-client';
import { systemClock } from '../../src/base/clock.js';
import { createAuthority } from '../../src/ca/create-authority.js';
import { RootStoreError } from '../../src/ca/rotation/root-store.js';
import { createSecretRootStore } from '../../src/ca/rotation/secret-root-store.js';
import { createApiClient } from '../../src/kubernetes/client/api-client.js';
import { createApiSender } from '../../src/kubernetes/client/api-sender.js';
import { loadClusterAccess } from '../../src/kubernetes/client/cluster-access.js';
import { createListWatcher } from '../../src/kubernetes/watch/list-watcher.js';
import { createMetrics } from '../../src/telemetry/metrics.js';
import { type ApiServer, READERS, startApiServer } from '../counterparts/kubernetes/api-server.js';
import { requireKubernetes } from '../counterparts/kubernetes/find-testcluster.js';
import { untilGranted } from '../counterparts/kubernetes/until-granted.js';
import { eventually } from '../support/eventually.js';
import { createRecordingLogger } from '../support/recording-logger.js';
import { DAY_MS, selfSigned } from './support/material.js';
import { createOpenSsl, makeRequest } from './support/openssl.js';

const { available: binary } = requireKubernetes();
const it = binary === undefined ? test.skip : test;
const PATH = (namespace: string): string => `/api/v1/namespaces/${namespace}/secrets/mesh-ca-secret`;
const [READER = '', STRANGER = ''] = READERS;

let api: ApiServer;

if (binary !== undefined) {
  test.before(async () => {
    api = await startApiServer({ binary });
    const version = 'rbac.authorization.k8s.io/v1';
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'root' };
    const rules = [
      { apiGroups: [''], resources: ['secrets'], verbs: ['create'] },
      {
        apiGroups: [''],
        resources: ['secrets'],
        resourceNames: ['mesh-ca-secret'],
        verbs: ['get', 'list', 'watch', 'patch'],
      },
    ];
    await api.client.applyAll([
      { apiVersion: version, kind: 'ClusterRole', metadata: { name: 'root' }, rules },
      {
        apiVersion: version,
        kind: 'ClusterRoleBinding',
        metadata: { name: 'root' },
        roleRef,
        subjects: [{ kind: 'User', name: READER, apiGroup: 'rbac.authorization.k8s.io' }],
      },
    ]);
    await untilGranted(api, READER, { verb: 'create', group: '', resource: 'secrets' });
  });
  test.after.always(() => api?.close());
}

async function createStore(t: ExecutionContext, namespace: string, user = READER) {
  await api.client.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  const access = await loadClusterAccess({ orchConfig: await api.kubeconfigOf(user), environment: {} });
  t.teardown(access.close);
  const send = createApiSender(access, { userAgent: 'navigator-discovery/test', timeoutMs: 60_000 });
  return createSecretRootStore({ send, namespace, meshDomain: 'mesh.internal' });
}

async function newRoot() {
  const { privateKey, certificate } = await selfSigned();
  return { privateKey, certificate, earlierRoots: '' };
}

it('a real API server stores a root once, and lets only the first of two replace it', async (t) => {
  const store = await createStore(t, 'race');
  t.is(await store.load(), undefined);
  const first = await newRoot();
  const stored = await store.save(first, undefined);
  t.deepEqual(stored?.root, first);
  t.is(await store.save(await newRoot(), undefined), undefined, 'there is one');
  const loaded = await store.load();
  t.deepEqual(loaded, stored);

  const second = { ...(await newRoot()), earlierRoots: first.certificate };
  t.deepEqual((await store.save(second, loaded))?.root, second);
  t.is(await store.save(await newRoot(), loaded), undefined, 'it is another one by now');
  t.deepEqual((await store.load())?.root, second);
  const { body } = await api.client.send('GET', PATH('race'));
  t.is((body as { readonly type?: string }).type, 'mesh.internal/ca-root');

  await api.client.send('DELETE', PATH('race'));
  t.is(await store.save(await newRoot(), loaded), undefined, 'there is none any more');
});

it('labels of a secret that somebody else has made, and its type, stay when its root is replaced', async (t) => {
  const store = await createStore(t, 'labelled');
  const { certificate, privateKey } = await newRoot();
  await api.client.apply({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'mesh-ca-secret', namespace: 'labelled', labels: { team: 'platform' } },
    type: 'Opaque',
    stringData: { 'ca-cert.pem': certificate, 'ca-key.pem': privateKey, note: 'text' },
  });
  const next = await newRoot();
  t.truthy(await store.save(next, await store.load()));
  const { body } = await api.client.send('GET', PATH('labelled'));
  const secret = body as { metadata: { labels: unknown }; type: string; data: Record<string, string> };
  t.deepEqual([secret.metadata.labels, secret.type], [{ team: 'platform' }, 'Opaque']);
  t.is(secret.data['note'], Buffer.from('text').toString('base64'));
  t.deepEqual((await store.load())?.root, next);
});

it('replicas see at once that somebody has put another root into the secret, or has deleted it', async (t) => {
  await createStore(t, 'watched');
  const access = await loadClusterAccess({ orchConfig: await api.kubeconfigOf(READER), environment: {} });
  const logger = createRecordingLogger();
  const client = createApiClient(access, 'navigator-discovery/test');
  const createReplica = () => {
    const authority = createAuthority({
      rootCaDir: '/nowhere',
      ttls: { defaultMs: DAY_MS, maxMs: DAY_MS },
      selfSigned: {
        trustDomain: 'td',
        ttlMs: 3650 * DAY_MS,
        keyBits: 2048,
        checkIntervalMs: DAY_MS,
        gracePercentile: 20,
        hasJitter: false,
      },
      cluster: {
        send: createApiSender(access, { userAgent: 'navigator-discovery/test', timeoutMs: 60_000 }),
        createWatcher: (log) =>
          createListWatcher({ api: client, server: access.server, clock: systemClock, logger: log }),
        namespace: 'watched',
        meshDomain: 'mesh.internal',
      },
      metrics: createMetrics(new Registry()),
      clock: systemClock,
      logger,
      rotatorLogger: logger,
      random: () => 0.5,
    });
    t.teardown(() => authority.stop());
    return authority;
  };
  const replicas = [createReplica(), createReplica()];
  await Promise.all(replicas.map((each) => each.start()));
  const rootOf = (index: number): string | undefined => replicas[index]?.bundle().roots[0];
  t.is(rootOf(0), rootOf(1));

  const { certificate, privateKey } = await newRoot();
  const encode = (text: string): string => Buffer.from(text).toString('base64');
  const data = { 'ca-cert.pem': encode(certificate), 'ca-key.pem': encode(privateKey) };
  await api.client.send('PATCH', PATH('watched'), { data }, 'application/merge-patch+json');
  await eventually('the new root', () => rootOf(0) === certificate && rootOf(1) === certificate);

  await api.client.send('DELETE', PATH('watched'));
  await eventually('the secret', async () => (await api.client.send('GET', PATH('watched'))).status === 200);
  t.deepEqual([rootOf(0), rootOf(1)], [certificate, certificate]);
  t.deepEqual(
    logger.records.filter(({ level }) => level === 'warn' || level === 'error'),
    [],
  );
});

it('a refusal names the secret and the right that is missing', async (t) => {
  const store = await createStore(t, 'forbidden', STRANGER);
  await t.throwsAsync(store.load(), {
    instanceOf: RootStoreError,
    message:
      /^secret forbidden\/mesh-ca-secret cannot be read: .*; let the service account get, create and patch secrets in forbidden$/,
  });
});

it('the API server takes no request to the signer that NAV_CERT_PROVIDER=orchestrator was made for', async (t) => {
  const request = Buffer.from(await makeRequest(await createOpenSsl(t), 'EC P-256')).toString('base64');
  const { status, body } = await api.client.send('POST', '/apis/certificates.k8s.io/v1/certificatesigningrequests', {
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: { name: 'meshd' },
    spec: { request, signerName: 'kubernetes.io/legacy-unknown', usages: ['digital signature', 'server auth'] },
  });
  t.is(status, 422);
  t.regex(JSON.stringify(body), /legacy-unknown/);
});
