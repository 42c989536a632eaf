import test from 'ava';
import { decide, type Given, injected, podOf, type TestPod } from './support/injection.js';

const TEMPLATE = `
containers:
  - name: mesh-proxy
    image: p
    args: [{{ TypeMeta.apiVersion }}, {{ TypeMeta.kind }}, {{ DeploymentMeta.name }}, {{ DeploymentMeta.namespace }}]
`;

const owner = (kind: string, name: string, controller = true) => ({ apiVersion: 'apps/v1', kind, name, controller });
const HASH = { 'pod-template-hash': '7d4b9' };
const NAMES = 'service.mesh.internal/canonical-name';

const workloads: readonly (readonly [title: string, metadata: TestPod['metadata'], expected: readonly string[]])[] = [
  ['a pod of its own', { name: 'web' }, ['v1', 'Pod', 'web', 'shop']],
  ['a pod that has no name yet', { generateName: 'web-' }, ['v1', 'Pod', 'web', 'shop']],
  [
    'a StatefulSet',
    { name: 'db-0', ownerReferences: [owner('StatefulSet', 'db')] },
    ['apps/v1', 'StatefulSet', 'db', 'shop'],
  ],
  [
    'a ReplicaSet of a Deployment',
    { labels: HASH, ownerReferences: [owner('ReplicaSet', 'web-7d4b9')] },
    ['apps/v1', 'Deployment', 'web', 'shop'],
  ],
  [
    'a ReplicaSet without a Deployment',
    { ownerReferences: [owner('ReplicaSet', 'web-7d4b9')] },
    ['apps/v1', 'ReplicaSet', 'web-7d4b9', 'shop'],
  ],
  [
    'a ReplicaSet with another hash',
    { labels: { 'pod-template-hash': 'x' }, ownerReferences: [owner('ReplicaSet', 'web-7d4b9')] },
    ['apps/v1', 'ReplicaSet', 'web-7d4b9', 'shop'],
  ],
  [
    'an owner that does not control it',
    { name: 'web', ownerReferences: [owner('Job', 'job', false)] },
    ['v1', 'Pod', 'web', 'shop'],
  ],
];

for (const [title, metadata, expected] of workloads) {
  test(`the workload of ${title} is ${expected.slice(1, 3).join(' ')}`, (t) => {
    const pod = { metadata, spec: podOf().spec };
    const [, proxy] = injected(pod, { config: { template: TEMPLATE } }).spec.containers;
    t.deepEqual(proxy?.args, expected);
  });
}

function labelsOf(labels: Readonly<Record<string, string>> | undefined, given: Given = {}, name = 'web') {
  const metadata = { name, ...(labels === undefined ? {} : { labels }) };
  return injected({ metadata, spec: podOf().spec }, given).metadata.labels;
}

test('a pod without labels gets all labels, from its workload', (t) => {
  t.deepEqual(labelsOf(undefined), {
    'mesh.internal/rev': 'default',
    'security.mesh.internal/tlsMode': 'mesh',
    [NAMES]: 'web',
    'service.mesh.internal/canonical-revision': 'latest',
  });
});

test('the canonical name is app.kubernetes.io/name, or else app; the revision app.kubernetes.io/version, or else version', (t) => {
  t.like(labelsOf({ app: 'shop', version: 'v1' }), {
    [NAMES]: 'shop',
    'service.mesh.internal/canonical-revision': 'v1',
  });
  const all = { app: 'shop', version: 'v1', 'app.kubernetes.io/name': 'store', 'app.kubernetes.io/version': 'v2' };
  t.like(labelsOf(all), { [NAMES]: 'store', 'service.mesh.internal/canonical-revision': 'v2' });
});

test('the label turns mutual TLS off for pods that cannot accept it', (t) => {
  const tlsMode = (annotations: Record<string, string>, given: Given = {}) =>
    injected(podOf({ annotations }), given).metadata.labels?.['security.mesh.internal/tlsMode'];
  const none = { 'sidecar.mesh.internal/interceptionMode': 'NONE' };
  t.is(tlsMode({}), 'mesh');
  t.is(tlsMode(none), 'disabled');
  t.is(tlsMode({}, { values: { traffic: { interceptionMode: 'NONE' } } }), 'disabled');
  t.is(tlsMode({ ...none, ...{ 'sidecar.mesh.internal/interceptionMode': 'REDIRECT' } }), 'mesh');
  t.is(tlsMode({ 'proxy.mesh.internal/config': 'controlPlaneAuthPolicy: NONE' }), 'disabled');
});

test('existing labels stay unchanged', (t) => {
  const own = { 'security.mesh.internal/tlsMode': 'disabled', [NAMES]: 'mine', 'mesh.internal/rev': 'old' };
  t.like(labelsOf(own), own);
});

test('the label of the revision is that of the control plane', (t) => {
  t.is(labelsOf({}, { revision: 'canary' })?.['mesh.internal/rev'], 'canary');
});

test('a name that is too long for a label is cut', (t) => {
  const label = labelsOf(undefined, {}, `${'a'.repeat(62)}.${'b'.repeat(40)}`)?.[NAMES];
  t.is(label, 'a'.repeat(62));
});

test('the template sees the labels that injection adds', (t) => {
  const template = 'containers: [{ name: mesh-proxy, image: p, args: [{{ ObjectMeta.labels | toJSON | toJSON }}] }]';
  const pod = injected(podOf({ labels: { zone: 'b', app: 'web' } }), { config: { template } });
  t.deepEqual(JSON.parse(pod.spec.containers[1]?.args?.[0] ?? ''), pod.metadata.labels);
});

test('the template sees the annotations of the pod without those of an earlier injection', (t) => {
  const template =
    'containers: [{ name: mesh-proxy, image: p, args: [{{ ObjectMeta.annotations | toJSON | toJSON }}] }]';
  const once = injected(podOf({ annotations: { note: 'x' } }), { config: { template } });
  t.is(once.spec.containers[1]?.args?.[0], '{"note":"x"}');
  t.deepEqual(injected(once, { config: { template } }), once);
});

const ENV = 'containers: [{ name: mesh-proxy, image: p, env: [{ name: MESH_META_CLUSTER_ID, value: own }] }]';
const envAt = (path: string) =>
  injected(podOf(), { config: { template: ENV }, request: { path } }).spec.containers[1]?.env;

test('the URL sets cluster and network of the pod', (t) => {
  t.deepEqual(envAt('/inject'), [{ name: 'MESH_META_CLUSTER_ID', value: 'own' }]);
  t.deepEqual(envAt('/inject/cluster/east'), [{ name: 'MESH_META_CLUSTER_ID', value: 'east' }]);
  t.deepEqual(envAt('/inject/cluster/east-1/net/vpc%2D2'), [
    { name: 'MESH_META_CLUSTER_ID', value: 'east-1' },
    { name: 'MESH_META_NETWORK', value: 'vpc-2' },
  ]);
  t.deepEqual(envAt('/inject/other/x/net/n'), [
    { name: 'MESH_META_CLUSTER_ID', value: 'own' },
    { name: 'MESH_META_NETWORK', value: 'n' },
  ]);
});

test('a URL with an invalid cluster name is rejected', (t) => {
  for (const path of ['/inject/cluster/', '/inject/cluster/a%24(X)', '/inject/net/%zz', '/inject/net/a%0Ab']) {
    t.throws(() => decide(podOf(), { request: { path } }), { message: /is not a valid name; correct the path/ }, path);
  }
});
