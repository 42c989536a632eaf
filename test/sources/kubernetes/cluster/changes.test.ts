import test, { type ExecutionContext } from 'ava';
import { keyOf, type MeshObject } from '../../../../src/config/object.js';
import { type ApiServer, startApiServer } from '../../../counterparts/kubernetes/api-server.js';
import { requireKubernetes } from '../../../counterparts/kubernetes/find-testcluster.js';
import type { KubernetesManifest } from '../../../counterparts/kubernetes/kubernetes-client.js';
import { eventually } from '../../../support/eventually.js';
import { type ClusterHarness, createClusterHarness } from '../support/cluster-harness.js';
import {
  allCrds,
  namespaceManifest,
  podManifest,
  quotaSpecManifest,
  serviceManifest,
  withoutSchema,
} from '../support/manifests.js';

const { available: binary } = requireKubernetes();
const it = binary === undefined ? test.skip : test;
let api: ApiServer;

if (binary !== undefined) {
  test.before(async () => {
    api = await startApiServer({ binary });
    await api.client.applyAll(allCrds().map(withoutSchema));
  });
  test.after.always(() => api?.close());
}

async function startHarness(
  t: ExecutionContext,
  overrides: Parameters<typeof createClusterHarness>[2] = {},
): Promise<ClusterHarness> {
  const harness = createClusterHarness(t, api.kubeconfig, overrides);
  await harness.start();
  return harness;
}

/** A namespace of the test's own. */
async function ownNamespace(name: string): Promise<string> {
  await api.client.apply(namespaceManifest(name));
  return name;
}

const keyOfManifest = ({ kind, metadata }: KubernetesManifest): string =>
  `${kind}/${['Node', 'Namespace'].includes(kind) ? '' : (metadata.namespace ?? 'default')}/${metadata.name}`;

/** How often the object was delivered; other tests change other objects meanwhile. */
const deliveriesOf = ({ batches }: ClusterHarness, key: string): number =>
  batches.flatMap(({ changes }) => changes).filter((change) => change.type === 'upsert' && keyOf(change.object) === key)
    .length;

const NETWORKING = 'networking.mesh.internal/v1beta1';
const CONFIG = 'config.mesh.internal/v1alpha2';

/** One object of each kind that is read, a change to it, and how the change shows in what is served. */
const kinds: readonly {
  readonly manifest: (namespace: string) => KubernetesManifest;
  readonly change: object;
  readonly shows: (object: MeshObject) => unknown;
  readonly expected: unknown;
}[] = [
  {
    manifest: (namespace) => serviceManifest('web', namespace),
    change: { spec: { selector: { app: 'web' } } },
    shows: ({ body }) => (body as { spec: { selector: unknown } }).spec.selector,
    expected: { app: 'web' },
  },
  {
    manifest: (namespace) => ({
      apiVersion: 'v1',
      kind: 'Endpoints',
      metadata: { name: 'web', namespace },
      subsets: [{ addresses: [{ ip: '10.244.0.1' }], ports: [{ name: 'http', port: 80 }] }],
    }),
    change: { subsets: [{ addresses: [{ ip: '10.244.0.2' }], ports: [{ name: 'http', port: 80 }] }] },
    shows: ({ body }) => (body as { subsets: { addresses: { ip: string }[] }[] }).subsets[0]?.addresses[0]?.ip,
    expected: '10.244.0.2',
  },
  {
    manifest: (namespace) => podManifest('web-1', namespace),
    change: { metadata: { labels: { version: 'v2' } } },
    shows: ({ metadata }) => metadata.labels['version'],
    expected: 'v2',
  },
  {
    manifest: (namespace) => ({
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: `node-${namespace}` },
      status: { addresses: [{ type: 'InternalIP', address: '10.0.0.7' }] },
    }),
    change: { metadata: { labels: { 'topology.kubernetes.io/zone': 'north-1' } } },
    shows: ({ metadata }) => metadata.labels['topology.kubernetes.io/zone'],
    expected: 'north-1',
  },
  {
    manifest: (namespace) => namespaceManifest(`${namespace}-more`),
    change: { metadata: { labels: { team: 'blue' } } },
    shows: ({ metadata }) => metadata.labels['team'],
    expected: 'blue',
  },
  {
    manifest: (namespace) => quotaSpecManifest('limits', namespace),
    change: { spec: { rules: [{ quotas: [{ quota: 'requests', charge: 7 }] }] } },
    shows: ({ body }) => (body as { rules: { quotas: { charge: number }[] }[] }).rules[0]?.quotas[0]?.charge,
    expected: 7,
  },
  {
    manifest: (namespace) => ({
      apiVersion: CONFIG,
      kind: 'QuotaSpecBinding',
      metadata: { name: 'limits', namespace },
      spec: { services: [{ name: 'web' }], quotaSpecs: [{ name: 'limits' }] },
    }),
    change: { spec: { services: [{ name: 'api' }] } },
    shows: ({ body }) => (body as { services: { name: string }[] }).services[0]?.name,
    expected: 'api',
  },
  {
    manifest: (namespace) => ({
      apiVersion: CONFIG,
      kind: 'HTTPAPISpec',
      metadata: { name: 'shop', namespace },
      spec: { patterns: [{ httpMethod: 'GET', uriTemplate: '/books' }] },
    }),
    change: { spec: { patterns: [{ httpMethod: 'PUT', uriTemplate: '/books' }] } },
    shows: ({ body }) => (body as { patterns: { httpMethod: string }[] }).patterns[0]?.httpMethod,
    expected: 'PUT',
  },
  {
    manifest: (namespace) => ({
      apiVersion: CONFIG,
      kind: 'HTTPAPISpecBinding',
      metadata: { name: 'shop', namespace },
      spec: { services: [{ name: 'web' }], apiSpecs: [{ name: 'shop' }] },
    }),
    change: { spec: { apiSpecs: [{ name: 'other' }] } },
    shows: ({ body }) => (body as { apiSpecs: { name: string }[] }).apiSpecs[0]?.name,
    expected: 'other',
  },
  {
    manifest: (namespace) => ({
      apiVersion: NETWORKING,
      kind: 'ServiceEntry',
      metadata: { name: 'payments', namespace },
      spec: {
        hosts: ['payments.example.com'],
        ports: [{ number: 443, name: 'tls', protocol: 'TLS' }],
        resolution: 'DNS',
      },
    }),
    change: { spec: { hosts: ['pay.example.com'] } },
    shows: ({ body }) => (body as { hosts: string[] }).hosts,
    expected: ['pay.example.com'],
  },
  {
    manifest: (namespace) => ({
      apiVersion: NETWORKING,
      kind: 'WorkloadEntry',
      metadata: { name: 'vm', namespace },
      spec: { address: '10.9.9.9' },
    }),
    change: { spec: { address: '10.9.9.8' } },
    shows: ({ body }) => (body as { address: string }).address,
    expected: '10.9.9.8',
  },
];

for (const { manifest, change, shows, expected } of kinds) {
  const { kind } = manifest('any');
  it(`a ${kind} that is made, changed and deleted in the cluster is so in the mesh`, async (t) => {
    const namespace = await ownNamespace(`changes-${kind.toLowerCase()}`);
    const object = manifest(namespace);
    const key = keyOfManifest(object);
    const harness = await startHarness(t);
    t.false(harness.objects.has(key));

    await api.client.apply(object);
    await eventually(`${key} is there`, () => harness.objects.has(key));
    await api.client.patch(object, change);
    const isChanged = (): boolean =>
      JSON.stringify(shows(harness.objects.get(key) as MeshObject)) === JSON.stringify(expected);
    await eventually(`${key} is changed`, isChanged);
    await api.client.delete(object);
    if (kind === 'Namespace') {
      // No controller finishes it here; it is there as long as the API server says so.
      t.true(harness.objects.has(key));
      return;
    }
    await eventually(`${key} is gone`, () => !harness.objects.has(key));
    const events = harness.events.filter((event) => event.startsWith(`${kind} `));
    t.true(events.includes(`${kind} add`) && events.includes(`${kind} update`) && events.includes(`${kind} delete`));
  });
}

it('EndpointSlices are read instead of Endpoints where that is chosen, and never both', async (t) => {
  const namespace = await ownNamespace('slices');
  const slice = {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: 'web-1', namespace, labels: { 'kubernetes.io/service-name': 'web' } },
    addressType: 'IPv4',
    endpoints: [{ addresses: ['10.244.0.9'], conditions: { ready: true } }],
    ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
  };
  await api.client.apply(slice);
  const byKind = (harness: ClusterHarness, kind: string): number =>
    [...harness.objects.values()].filter((object) => object.kind === kind).length;

  const slices = await startHarness(t, { useEndpointSlice: true });
  t.true(byKind(slices, 'EndpointSlice') > 0);
  t.is(byKind(slices, 'Endpoints'), 0);
  await api.client.patch(slice, { endpoints: [{ addresses: ['10.244.0.10'], conditions: { ready: true } }] });
  const address = (): string | undefined => {
    const object = slices.objects.get(`EndpointSlice/${namespace}/web-1`);
    return (object?.body as { endpoints: { addresses: string[] }[] } | undefined)?.endpoints[0]?.addresses[0];
  };
  await eventually('the slice is changed', () => address() === '10.244.0.10');

  const endpoints = await startHarness(t, { useEndpointSlice: false });
  t.is(byKind(endpoints, 'EndpointSlice'), 0);
  t.true(byKind(endpoints, 'Endpoints') > 0);
});

it('that Endpoints are deprecated is said once, and only where nobody chose them', async (t) => {
  const deprecation =
    'reading Endpoints, which this cluster deprecates; NAV_USE_ENDPOINT_SLICE=true reads EndpointSlices';
  const unset = await startHarness(t);
  t.is(unset.messages().filter((message) => message === deprecation).length, 1);
  const chosen = await startHarness(t, { useEndpointSlice: false });
  t.false(chosen.messages().includes(deprecation));
});

it('a pod is kept without what the mesh does not read, and changes of that are no events', async (t) => {
  const namespace = await ownNamespace('trimmed');
  const pod = podManifest('web-1', namespace);
  await api.client.apply(pod);
  const harness = await startHarness(t, { namespaces: [namespace] });
  const key = `Pod/${namespace}/web-1`;
  const kept = harness.objects.get(key);
  t.deepEqual(kept?.body, {
    spec: {
      nodeName: 'node-a',
      serviceAccountName: 'default',
      hostNetwork: false,
      containers: [{ name: 'app', ports: [{ containerPort: 8080, protocol: 'TCP' }] }],
    },
    status: {
      phase: 'Running',
      podIP: '10.244.1.1',
      podIPs: [{ ip: '10.244.1.1' }],
      conditions: [{ type: 'Ready', status: 'True' }],
    },
  });
  t.false(JSON.stringify(kept).includes('managedFields'));

  await api.client.patch(pod, { metadata: { annotations: { 'example.com/note': 'unread' } } });
  const conditions = [
    { type: 'Ready', status: 'True' },
    { type: 'Initialized', status: 'True' },
  ];
  await api.client.patch(pod, { status: { conditions, message: 'unread' } }, 'status');
  await eventually('both were seen', () => harness.events.filter((event) => event === 'Pod updatesame').length >= 2);
  t.is(deliveriesOf(harness, key), 1);
  t.is(harness.objects.get(key), kept);

  await api.client.patch(pod, { metadata: { annotations: { 'sidecar.mesh.internal/inject': 'false' } } });
  await eventually('an annotation of the mesh is told', () => deliveriesOf(harness, key) > 1);
  t.deepEqual(harness.objects.get(key)?.metadata.annotations, { 'sidecar.mesh.internal/inject': 'false' });
});

it('what status writers do to a custom resource is no event', async (t) => {
  const namespace = await ownNamespace('status');
  const spec = quotaSpecManifest('limits', namespace);
  await api.client.apply(spec);
  const harness = await startHarness(t, { namespaces: [namespace] });
  const key = `QuotaSpec/${namespace}/limits`;
  const kept = harness.objects.get(key);
  await api.client.patch(spec, { status: { conditions: [] } }, 'status');
  await eventually('the status was seen', () => harness.events.includes('QuotaSpec updatesame'));
  t.is(deliveriesOf(harness, key), 1);
  t.is(harness.objects.get(key), kept);
});

const serviceEntry = (namespace: string, port: number): KubernetesManifest => ({
  apiVersion: NETWORKING,
  kind: 'ServiceEntry',
  metadata: { name: 'billing', namespace },
  spec: { hosts: ['billing.example.com'], ports: [{ number: port, name: 'tls', protocol: 'TLS' }], resolution: 'DNS' },
});
const portOf = (harness: ClusterHarness, key: string): number | undefined =>
  (harness.objects.get(key)?.body as { ports: { number: number }[] } | undefined)?.ports[0]?.number;

it('an object that becomes invalid is reported by name, field and reason, and served as it last was good', async (t) => {
  const namespace = await ownNamespace('invalid');
  const key = `ServiceEntry/${namespace}/billing`;
  await api.client.apply(serviceEntry(namespace, 443));
  const harness = await startHarness(t, { namespaces: [namespace] });
  await api.client.apply(serviceEntry(namespace, 0));
  await eventually('it is reported', () => harness.source.reports().length > 0);
  const [report] = harness.source.reports();
  t.is(report?.key, key);
  t.is(report?.field, 'spec.ports[0].number');
  t.regex(report?.reason ?? '', new RegExp(`^ServiceEntry ${namespace}/billing: spec\\.ports\\[0\\]\\.number: 0: `));
  t.is(portOf(harness, key), 443);
  t.true(harness.events.includes(`refused ${key}`));

  await api.client.apply(serviceManifest('beside', namespace));
  await eventually('the rest goes on', () => harness.objects.has(`Service/${namespace}/beside`));
  await api.client.apply(serviceEntry(namespace, 8443));
  await eventually('it is served again', () => portOf(harness, key) === 8443);
  t.deepEqual(harness.source.reports(), []);
  t.true(harness.events.includes(`well ${key}`));
  await api.client.apply(serviceEntry(namespace, 0));
  await eventually('it is reported again', () => harness.source.reports().length > 0);
  await api.client.delete(serviceEntry(namespace, 0));
  await eventually('nobody reports what is gone', () => harness.source.reports().length === 0);
  t.false(harness.objects.has(key));
});

it('where invalid objects are withdrawn, nothing of them is served until they are valid', async (t) => {
  const namespace = await ownNamespace('withdrawn');
  const key = `ServiceEntry/${namespace}/billing`;
  await api.client.apply(serviceEntry(namespace, 443));
  const harness = await startHarness(t, { namespaces: [namespace], withdrawsInvalid: true });
  t.is(portOf(harness, key), 443);
  await api.client.apply(serviceEntry(namespace, 0));
  await eventually('it is withdrawn', () => !harness.objects.has(key));
  t.is(harness.source.reports().length, 1);
  await api.client.apply(serviceEntry(namespace, 8443));
  await eventually('it is served again', () => portOf(harness, key) === 8443);
});

it('only the given namespaces are watched, each for itself', async (t) => {
  const [mine, other, theirs] = [await ownNamespace('mine'), await ownNamespace('other'), await ownNamespace('theirs')];
  await api.client.applyAll([mine, other, theirs].map((namespace) => serviceManifest('web', namespace)));
  const harness = await startHarness(t, { namespaces: [mine, other, mine] });
  const services = (): readonly string[] =>
    [...harness.objects.keys()].filter((key) => key.startsWith('Service/')).sort();
  t.deepEqual(services(), ['Service/mine/web', 'Service/other/web']);
  await api.client.apply(serviceManifest('late', theirs));
  await api.client.apply(serviceManifest('late', other));
  await eventually('the other one is told', () => harness.objects.has('Service/other/late'));
  t.deepEqual(services(), ['Service/mine/web', 'Service/other/late', 'Service/other/web']);
});

it('a resync hands everything over again, as updates of nothing', async (t) => {
  const namespace = await ownNamespace('resync');
  await api.client.apply(serviceManifest('web', namespace));
  const harness = await startHarness(t, { namespaces: [namespace], resyncMs: 100 });
  const keys = (index: number): readonly string[] =>
    (harness.batches[index]?.changes ?? []).map((change) => (change.type === 'upsert' ? keyOf(change.object) : ''));
  const isRepeated = (): boolean =>
    harness.batches.some((_, index) => index > 0 && keys(0).every((key) => keys(index).includes(key)));
  await eventually('the resync came', isRepeated);
  t.true(keys(0).includes(`Service/${namespace}/web`));
  t.true(harness.events.includes('Service updatesame'));
});

it('after the stop nothing is delivered, and nothing keeps running', async (t) => {
  const namespace = await ownNamespace('stopped');
  const harness = await startHarness(t);
  await harness.source.stop();
  const batches = harness.batches.length;
  await api.client.apply(serviceManifest('late', namespace));
  await api.client.get(serviceManifest('late', namespace));
  t.is(harness.batches.length, batches);
});
