import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { load } from 'js-yaml';
import { Registry } from 'prom-client';
import { systemClock } from '../../../src/base/clock.js';
import { createInjector } from '../../../src/bootstrap/injection/create-injector.js';
import { createSettingsKeeper } from '../../../src/bootstrap/settings-keeper.js';
import { createDefaultMeshConfig } from '../../../src/config/mesh/read-mesh-config.js';
import { createSchemaCompiler } from '../../../src/config/schema/schema-reader.js';
import { createMetrics } from '../../../src/telemetry/metrics.js';
import { createReviewIntake } from '../../../src/webhooks/admission/review-intake.js';
import { createHttpsServer } from '../../../src/webhooks/https-server.js';
import { createWebhookApp } from '../../../src/webhooks/webhook-app.js';
import { type ApiServer, startApiServer } from '../../counterparts/kubernetes/api-server.js';
import { requireKubernetes } from '../../counterparts/kubernetes/find-testcluster.js';
import type { KubernetesAnswer, KubernetesManifest } from '../../counterparts/kubernetes/kubernetes-client.js';
import { projectRoot } from '../../counterparts/project-root.js';
import { createHelm, requireHelm } from '../../manifests/support/helm.js';
import { readManifests } from '../../sources/kubernetes/support/manifests.js';
import { createTestAuthority } from '../../support/certificate-issuer.js';
import { eventually } from '../../support/eventually.js';
import { createRecordingLogger } from '../../support/recording-logger.js';
import { createTestTlsSource } from '../fixtures/tls-source.js';
import { containerOf, podOf, type TestPod } from '../injection/support/injection.js';
import { untilWebhookAnswers } from './webhook-rig.js';

const { available: binary } = requireKubernetes();
const it = binary === undefined ? test.serial.skip : test.serial;
/** `timeoutSeconds` of `manifests/46-injection-webhook.yaml`. */
const TIMEOUT_MS = 10_000;
const PODS = '/api/v1/namespaces/shop/pods';
const root = createTestAuthority('webhook root');
let api: ApiServer;

if (binary !== undefined) {
  test.before(async () => {
    api = await startApiServer({ binary });
    const namespace = {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'shop', labels: { 'mesh-injection': 'enabled' } },
    };
    await api.client.applyAll([namespace, { ...namespace, metadata: { name: 'other' } }]);
    await Promise.all(
      ['shop', 'other'].map((name) =>
        api.client.apply({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace: name } }),
      ),
    );
  });
  test.after.always(() => api?.close());
}

/** The injector with the files of manifests/, behind a webhook configuration of manifests/. */
async function startInjector(t: ExecutionContext, revision = '') {
  const directory = await mkdtemp(join(tmpdir(), 'navigator-inject-'));
  t.teardown(() => rm(directory, { recursive: true, force: true }));
  const text = await readFile(join(projectRoot(), 'manifests/35-injection.yaml'), 'utf8');
  const { data } = load(text) as { readonly data: { readonly config: string; readonly values: string } };
  const write = async (file: 'config' | 'values', content: string): Promise<void> => {
    await writeFile(join(directory, `.${file}`), content);
    await rename(join(directory, `.${file}`), join(directory, file));
  };
  await write('config', data.config);
  await write('values', data.values);

  const registry = new Registry();
  const logger = createRecordingLogger();
  const metrics = createMetrics(registry);
  const injector = createInjector({
    ...{ directory, logger, metrics, meshDomain: 'mesh.internal', revision, clock: systemClock },
    mesh: createDefaultMeshConfig,
    compiler: createSchemaCompiler(),
    keeper: createSettingsKeeper({
      ...{ connection: undefined, namespace: 'mesh-system', revision: '', metrics, logger, clock: systemClock },
    }),
    intake: createReviewIntake({ clock: systemClock }),
  });
  await injector.start();
  t.teardown(() => injector.stop());
  const app = createWebhookApp({ validate: async () => undefined, inject: injector.endpoint, logger });
  const material = createTestTlsSource(root, []);
  const server = createHttpsServer({
    address: { host: '127.0.0.1', port: 0 },
    material,
    app,
    logger,
    clock: systemClock,
  });
  const { port } = await server.start();
  t.teardown(() => server.stop());
  return { write, data, injector, logger, url: `https://127.0.0.1:${port}/inject`, metrics: () => registry.metrics() };
}

/** Installs the webhook configuration, also under further names, and waits until the API server calls the webhook. */
async function install(t: ExecutionContext, url: string, ...names: readonly string[]): Promise<void> {
  for (const name of names) await apply(t, url, name, readManifests('manifests'));
  await eventually('pods are injected', async () => {
    const { status, body } = await create(t, podOf());
    if (status !== 201) throw new Error(JSON.stringify(body));
    return (body as TestPod).metadata.annotations?.['sidecar.mesh.internal/status'] !== undefined;
  });
}

/** Installs the webhook configuration among the manifests. */
async function apply(
  t: ExecutionContext,
  url: string,
  name: string,
  manifests: readonly KubernetesManifest[],
): Promise<void> {
  const found = manifests.find(({ kind }) => kind === 'MutatingWebhookConfiguration');
  if (found === undefined) throw new Error('there is no MutatingWebhookConfiguration');
  const clientConfig = { url, caBundle: Buffer.from(root.certificate).toString('base64') };
  const webhooks = (found['webhooks'] as readonly object[]).map((entry) => ({ ...entry, clientConfig }));
  await api.client.apply({ ...found, metadata: { name }, webhooks } as KubernetesManifest);
  t.teardown(async () => {
    await api.client.send('DELETE', `/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/${name}`);
  });
}

function create(t: ExecutionContext, pod: TestPod, namespace = 'shop'): Promise<KubernetesAnswer> {
  const path = PODS.replace('/shop/', `/${namespace}/`);
  const spec = { serviceAccountName: 'default', ...pod.spec };
  const body = { apiVersion: 'v1', kind: 'Pod', ...pod, spec };
  return untilWebhookAnswers(t, TIMEOUT_MS, () =>
    api.client.send('POST', `${path}?dryRun=All&fieldValidation=Strict`, body),
  );
}

const messageOf = ({ body }: KubernetesAnswer): string => String((body as { readonly message?: unknown }).message);

it('a real API server accepts the injected pod, and calls the injector only for labelled namespaces', async (t) => {
  const { url, metrics } = await startInjector(t);
  await install(t, url, 'mesh-sidecar-injector');
  const pod = podOf(
    {},
    {
      initContainers: [{ name: 'migrate', image: 'm' }],
      containers: [{ name: 'app', image: 'a', readinessProbe: { httpGet: { path: '/ready', port: 8080 } } }],
    },
  );
  const { status, body } = await create(t, pod);
  t.is(status, 201, JSON.stringify(body));
  const result = body as TestPod;
  t.deepEqual(
    result.spec.initContainers?.map(({ name }) => name),
    ['mesh-init', 'mesh-proxy', 'migrate'],
  );
  t.like(containerOf(result, 'mesh-proxy'), { restartPolicy: 'Always', startupProbe: { httpGet: { port: 15021 } } });
  t.like(containerOf(result, 'app'), { readinessProbe: { httpGet: { path: '/app-health/app/readyz', port: 15020 } } });
  t.regex(await metrics(), /^sidecar_injection_success_total [1-9]/m);

  const elsewhere = await create(t, pod, 'other');
  t.is(elsewhere.status, 201);
  t.is((elsewhere.body as TestPod).metadata.annotations, undefined);
});

it('a real API server accepts the ingress gateway, whose pod the standard restricted allows', async (t) => {
  const { url } = await startInjector(t);
  await install(t, url, 'mesh-sidecar-injector');
  const manifests = readManifests('manifests/gateway');
  // The namespace comes first.
  for (const manifest of manifests) await api.client.apply(manifest);
  const deployment = manifests.find(({ kind }) => kind === 'Deployment') as unknown as {
    readonly spec: { readonly template: TestPod };
  };
  const { metadata, spec } = deployment.spec.template;
  const pod = { metadata: { ...metadata, name: 'mesh-ingressgateway-1' }, spec };
  const { status, body } = await create(t, pod, 'mesh-ingress');
  t.is(status, 201, JSON.stringify(body));
  const result = body as TestPod;
  t.is(result.spec.initContainers, undefined);
  t.deepEqual(
    result.spec.containers.map(({ name }) => name),
    ['mesh-proxy'],
  );
  const proxy = containerOf(result, 'mesh-proxy');
  t.regex(proxy.image, /^envoyproxy\/envoy:/);
  t.like(proxy, { resources: { requests: { cpu: '100m' } }, securityContext: { runAsNonRoot: true } });
  t.regex(proxy.args?.join(' ') ?? '', /router~/);
  t.is(result.metadata.labels?.['security.mesh.internal/tlsMode'], 'disabled');

  const containers = [{ name: 'app', image: 'a' }];
  const sidecar = { metadata: { name: 'app-1' }, spec: { ...pod.spec, containers } };
  const refused = await create(t, sidecar, 'mesh-ingress');
  t.is(refused.status, 403, 'the sidecar needs rights that the namespace does not give');
});

const helmBinary = requireHelm();
const withHelm = helmBinary === undefined ? test.serial.skip : it;

withHelm(
  'the label mesh.internal/rev of a pod chooses the revision that injects it, before that of its namespace',
  async (t) => {
    const helm = await createHelm(helmBinary ?? '');
    t.teardown(() => helm.close());
    const [first, canary] = [await startInjector(t), await startInjector(t, 'canary')];
    await install(t, first.url, 'mesh-sidecar-injector');
    const documents = (await helm.render({ revision: 'canary' })) as unknown as readonly KubernetesManifest[];
    await apply(t, canary.url, 'mesh-sidecar-injector-canary', documents);
    const namespace = (name: string, labels: Readonly<Record<string, string>>) =>
      api.client.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } });
    for (const [name, labels] of [
      ['moved', { 'mesh.internal/rev': 'canary' }],
      ['closed', { 'mesh-injection': 'disabled' }],
    ] as const) {
      await namespace(name, labels);
      const metadata = { name: 'default', namespace: name };
      await api.client.apply({ apiVersion: 'v1', kind: 'ServiceAccount', metadata });
    }
    /** Calls of both injectors for one pod, and the revision that it got. */
    const chosen = async (where: string, revision?: string) => {
      const before = [await callsOf(first), await callsOf(canary)] as const;
      const labels: Record<string, string> = revision === undefined ? {} : { 'mesh.internal/rev': revision };
      const { status, body } = await create(t, podOf({ labels }), where);
      if (status !== 201) throw new Error(JSON.stringify(body));
      const { annotations, labels: got } = (body as TestPod).metadata;
      const isInjected = annotations?.['sidecar.mesh.internal/status'] !== undefined;
      const calls = [(await callsOf(first)) - before[0], (await callsOf(canary)) - before[1]].map((each) => each > 0);
      return [isInjected && got?.['mesh.internal/rev'], ...calls];
    };
    await eventually('the API server calls the canary', async () => (await chosen('moved'))[0] === 'canary');
    const cases: readonly [where: string, revision: string | undefined, expected: readonly unknown[]][] = [
      ['shop', undefined, ['default', true, false]],
      ['shop', 'default', ['default', true, false]],
      ['shop', 'canary', ['canary', false, true]],
      ['shop', 'gone', [false, false, false]],
      ['moved', undefined, ['canary', false, true]],
      ['moved', 'canary', ['canary', false, true]],
      ['moved', 'default', ['default', true, false]],
      ['other', undefined, [false, false, false]],
      ['other', 'canary', ['canary', false, true]],
      ['other', 'default', ['default', true, false]],
      ['closed', 'canary', [false, false, false]],
      ['closed', 'default', [false, false, false]],
    ];
    for (const [where, revision, expected] of cases) {
      t.deepEqual(await chosen(where, revision), expected, `${revision} in ${where}`);
    }
  },
);

/** How many pods an injector has injected. */
async function callsOf({ metrics }: { metrics(): Promise<string> }): Promise<number> {
  return Number(/^sidecar_injection_success_total (\d+)/m.exec(await metrics())?.[1] ?? 0);
}

it('the standard restricted allows a pod with the template grpc-agent, whose author is told what it sets itself', async (t) => {
  const { url } = await startInjector(t);
  // The API server calls the second webhook with its own defaults in what the first one added.
  await install(t, `${url}/cluster/east/net/vpc`, 'a-injector', 'b-injector');
  const restricted = { 'pod-security.kubernetes.io/enforce': 'restricted', 'mesh-injection': 'enabled' };
  await api.client.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'grpc', labels: restricted } });
  await api.client.apply({
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: 'default', namespace: 'grpc' },
  });
  const securityContext = { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } };
  const app = {
    image: 'a',
    securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
  };
  const own = { ...app, name: 'own', env: [{ name: 'GRPC_XDS_BOOTSTRAP', value: '/own.json' }] };
  const pod = podOf(
    { annotations: { 'inject.mesh.internal/templates': 'grpc-agent' } },
    { securityContext, initContainers: [{ ...app, name: 'migrate' }], containers: [{ ...app, name: 'app' }, own] },
  );
  const { status, body, warnings } = await create(t, pod, 'grpc');
  t.is(status, 201, JSON.stringify(body));
  const result = body as TestPod;
  t.deepEqual(
    result.spec.initContainers?.map(({ name }) => name),
    ['mesh-grpc-bootstrap', 'mesh-grpc-agent', 'migrate'],
  );
  t.like(containerOf(result, 'mesh-grpc-agent'), { restartPolicy: 'Always' });
  t.deepEqual(
    containerOf(result, 'mesh-grpc-bootstrap').env?.filter(({ name }) => name.startsWith('MESH_META')),
    [
      { name: 'MESH_META_CLUSTER_ID', value: 'east' },
      { name: 'MESH_META_NETWORK', value: 'vpc' },
    ],
  );
  for (const [name, value] of [
    ['app', '/etc/mesh/grpc/bootstrap.json'],
    ['migrate', '/etc/mesh/grpc/bootstrap.json'],
    ['own', '/own.json'],
  ] as const) {
    const { env } = containerOf(result, name);
    t.deepEqual(
      env?.filter((each) => each.name === 'GRPC_XDS_BOOTSTRAP').map((each) => each.value),
      [value],
      name,
    );
  }
  t.true(warnings.some((text) => text.includes('container own sets the variable GRPC_XDS_BOOTSTRAP itself')));
});

it('a second call for a pod does not inject it again', async (t) => {
  const { url } = await startInjector(t);
  await install(t, url, 'a-injector', 'b-injector');
  const { status, body } = await create(
    t,
    podOf({}, { containers: [{ name: 'app', image: 'a', livenessProbe: { httpGet: { port: 80 } } }] }),
  );
  t.is(status, 201, JSON.stringify(body));
  const result = body as TestPod;
  t.deepEqual(
    result.spec.initContainers?.map(({ name }) => name),
    ['mesh-init', 'mesh-proxy'],
  );
  t.deepEqual(result.spec.volumes?.filter(({ name }) => name.startsWith('mesh-')).length, 3);
  t.regex(JSON.stringify(containerOf(result, 'mesh-proxy')), /MESH_KUBE_APP_PROBERS.*\\"port\\":80/);
});

it('a pod with an unusable annotation is rejected with our message', async (t) => {
  const { url } = await startInjector(t);
  await install(t, url, 'mesh-sidecar-injector');
  const refused = await create(
    t,
    podOf({ annotations: { 'traffic.sidecar.mesh.internal/excludeInboundPorts': 'http' } }),
  );
  t.is(
    messageOf(refused),
    'admission webhook "sidecar-injector.mesh.internal" denied the request: invalid value \'http\' for annotation ' +
      '\'traffic.sidecar.mesh.internal/excludeInboundPorts\': "http" is not a port: write a number from 1 to 65535',
  );
});

it('the path of the URL sets cluster and network', async (t) => {
  const { url } = await startInjector(t);
  await install(t, `${url}/cluster/east/net/vpc`, 'mesh-sidecar-injector');
  const { body } = await create(t, podOf());
  const { env } = containerOf(body as TestPod, 'mesh-proxy');
  t.like(
    env?.find(({ name }) => name === 'MESH_META_CLUSTER_ID'),
    { value: 'east' },
  );
  t.like(
    env?.find(({ name }) => name === 'MESH_META_NETWORK'),
    { value: 'vpc' },
  );
});

it('later pods use changed files, but not invalid ones', async (t) => {
  const { url, write, data, injector, logger } = await startInjector(t);
  await install(t, url, 'mesh-sidecar-injector');
  const imageOf = async (): Promise<string> =>
    containerOf((await create(t, podOf())).body as TestPod, 'mesh-proxy').image;
  await write('values', data.values.replace('envoyproxy/envoy:distroless-v1.40.0', 'registry.example/envoy:2'));
  await eventually('the new image is injected', async () => (await imageOf()) === 'registry.example/envoy:2');

  await write('config', 'template: "{% if %}"\n');
  await eventually('the bad template is told', () => injector.problems().length === 1);
  t.regex(injector.problems()[0]?.reason ?? '', /line 1: template: does not compile: injection template: line 1/);
  t.true(logger.records.some(({ level, message }) => level === 'error' && message.includes('last good content stays')));
  t.is(await imageOf(), 'registry.example/envoy:2');
  t.true(injector.template()?.includes('mesh-proxy'));
});
