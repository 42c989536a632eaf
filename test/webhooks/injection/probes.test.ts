import test from 'ava';
import { containerOf, type Given, injected, patchOf, podOf, type TestPod } from './support/injection.js';

const TEMPLATE = 'rewriteAppHTTPProbe: true\ncontainers: [{ name: mesh-proxy, image: p }]';
const GIVEN: Given = { config: { template: TEMPLATE } };

const app = (probes: object) => ({ name: 'app', image: 'a', ports: [{ name: 'web', containerPort: 8080 }], ...probes });
const podWith = (probes: object, annotations: Record<string, string> = {}): TestPod =>
  podOf({ annotations }, { containers: [app(probes)] });
const probersOf = (pod: TestPod): unknown =>
  JSON.parse(
    containerOf(pod, 'mesh-proxy')
      .env?.find(({ name }) => name === 'MESH_KUBE_APP_PROBERS')
      ?.value?.replaceAll('$$', '$') ?? 'null',
  );

const READINESS = {
  httpGet: { path: '/ready', port: 'web', httpHeaders: [{ name: 'a', value: 'b' }] },
  periodSeconds: 3,
  timeoutSeconds: 4,
};
const LIVENESS = { httpGet: { path: '/live', port: 8081, scheme: 'HTTPS' } };
const STARTUP = { httpGet: { port: 8082 }, failureThreshold: 9 };

test('HTTP probes go to the status port, and the rest of each stays', (t) => {
  const pod = injected(podWith({ readinessProbe: READINESS, livenessProbe: LIVENESS, startupProbe: STARTUP }), GIVEN);
  const toStatusPort = (path: string) => ({ path, port: 15020, scheme: 'HTTP' });
  t.like(containerOf(pod, 'app'), {
    readinessProbe: { ...READINESS, httpGet: { ...READINESS.httpGet, ...toStatusPort('/app-health/app/readyz') } },
    livenessProbe: { httpGet: toStatusPort('/app-health/app/livez') },
    startupProbe: { httpGet: toStatusPort('/app-health/app/startupz'), failureThreshold: 9 },
  });
  t.deepEqual(probersOf(pod), {
    '/app-health/app/readyz': { httpGet: READINESS.httpGet, timeoutSeconds: 4 },
    '/app-health/app/livez': { httpGet: LIVENESS.httpGet, timeoutSeconds: 1 },
    '/app-health/app/startupz': { httpGet: STARTUP.httpGet, timeoutSeconds: 1 },
  });
});

test('rewritten probes are the last operations of a patch', (t) => {
  const paths = patchOf(podWith({ readinessProbe: READINESS, livenessProbe: LIVENESS }), GIVEN).map(({ path }) => path);
  t.deepEqual(paths.slice(-2), ['/spec/containers/0/readinessProbe', '/spec/containers/0/livenessProbe']);
});

test('TCP and gRPC probes become HTTP probes if the template asks for it, and are restored', (t) => {
  const given: Given = { config: { template: `rewriteAppTCPProbe: true\nrewriteAppGRPCProbe: true\n${TEMPLATE}` } };
  const tcp = { tcpSocket: { port: 'web' }, periodSeconds: 3 };
  const grpc = { grpc: { port: 9090, service: 'shop.Api' } };
  const once = injected(podWith({ readinessProbe: tcp, livenessProbe: grpc, startupProbe: STARTUP }), given);
  const httpGet = (end: string) => ({ path: `/app-health/app/${end}`, port: 15020, scheme: 'HTTP' });
  t.deepEqual(containerOf(once, 'app')['readinessProbe'], { periodSeconds: 3, httpGet: httpGet('readyz') });
  t.deepEqual(containerOf(once, 'app')['livenessProbe'], { httpGet: httpGet('livez') });
  t.like(probersOf(once), {
    '/app-health/app/readyz': { tcpSocket: { port: 'web' }, timeoutSeconds: 1 },
    '/app-health/app/livez': { grpc: { port: 9090, service: 'shop.Api' }, timeoutSeconds: 1 },
  });
  t.deepEqual(injected(once, given), once);
  const own = containerOf(injected(once), 'app');
  t.deepEqual([own['readinessProbe'], own['livenessProbe'], own['startupProbe']], [tcp, grpc, STARTUP]);
});

for (const [title, probe] of [
  ['over TCP', { tcpSocket: { port: 8080 } }],
  ['over gRPC', { grpc: { port: 8080 } }],
  ['by a command', { exec: { command: ['true'] } }],
  ['to another host', { httpGet: { host: 'example.com', port: 80 } }],
  ['to a port of a name that there is not', { httpGet: { port: 'other' } }],
  ['to a port that is none', { httpGet: { port: 0 } }],
] as const) {
  test(`a probe ${title} stays as it is`, (t) => {
    const pod = injected(podWith({ readinessProbe: probe }), GIVEN);
    t.deepEqual(containerOf(pod, 'app')['readinessProbe'], probe);
    t.is(probersOf(pod), null);
  });
}

test('probes stay unchanged without a request of the template, or without a status port', (t) => {
  const pod = podWith({ readinessProbe: READINESS }, { 'status.sidecar.mesh.internal/port': '0' });
  t.deepEqual(containerOf(injected(pod, GIVEN), 'app')['readinessProbe'], READINESS);
  t.deepEqual(containerOf(injected(podWith({ readinessProbe: READINESS })), 'app')['readinessProbe'], READINESS);
});

test('the annotation sets the status port', (t) => {
  const pod = podWith({ readinessProbe: READINESS }, { 'status.sidecar.mesh.internal/port': '9999' });
  t.like(containerOf(injected(pod, GIVEN), 'app'), { readinessProbe: { httpGet: { port: 9999 } } });
});

test('a second injection gives the same probes', (t) => {
  const once = injected(podWith({ readinessProbe: READINESS, livenessProbe: LIVENESS }), GIVEN);
  t.deepEqual(injected(once, GIVEN), once);
});

test('a template that no longer rewrites probes restores those of the pod', (t) => {
  const once = injected(podWith({ readinessProbe: READINESS, livenessProbe: LIVENESS }), GIVEN);
  const twice = injected(once);
  t.deepEqual(containerOf(twice, 'app')['readinessProbe'], READINESS);
  t.deepEqual(containerOf(twice, 'app')['livenessProbe'], LIVENESS);
});

test('probes of a pod without an injected proxy stay, with any variable', (t) => {
  const proxy = {
    name: 'mesh-proxy',
    image: 'own',
    env: [{ name: 'MESH_KUBE_APP_PROBERS', value: '{"/app-health/app/readyz":{"httpGet":{"port":1}}}' }],
  };
  const status = JSON.stringify({ initContainers: [], containers: [], volumes: [], imagePullSecrets: [] });
  const pod = podOf(
    { annotations: { 'sidecar.mesh.internal/status': status } },
    { containers: [app({ readinessProbe: READINESS }), proxy] },
  );
  const given: Given = { config: { template: 'volumes: [{ name: v }]' } };
  t.deepEqual(containerOf(injected(pod, given), 'app')['readinessProbe'], READINESS);
});

test('probes are rewritten behind a proxy that the application waits for', (t) => {
  const given: Given = { ...GIVEN, values: { holdApplicationUntilProxyStarts: true } };
  const once = injected(podWith({ readinessProbe: READINESS }), given);
  t.like(once.spec.containers[1], { readinessProbe: { httpGet: { port: 15020 } } });
  t.deepEqual(injected(once, given), once);
});

test('dollars in a path are not expanded by Kubernetes', (t) => {
  const probe = { httpGet: { path: '/$(HOME)/$$', port: 80 } };
  const pod = injected(podWith({ readinessProbe: probe }), GIVEN);
  const written = containerOf(pod, 'mesh-proxy').env?.find(({ name }) => name === 'MESH_KUBE_APP_PROBERS')?.value;
  t.true(written?.includes('/$$(HOME)/$$$$'));
  t.deepEqual(probersOf(pod), { '/app-health/app/readyz': { httpGet: probe.httpGet, timeoutSeconds: 1 } });
  t.deepEqual(injected(pod, GIVEN), pod);
  t.deepEqual(containerOf(injected(pod), 'app')['readinessProbe'], probe);
});

const MERGING = 'mergeMetrics: true\ncontainers: [{ name: mesh-proxy, image: p }]';
const MERGE: Given = { config: { template: MERGING } };
const OWN = { 'prometheus.io/scrape': 'true', 'prometheus.io/path': '/metrics', 'prometheus.io/port': '9090' };
const MERGED = {
  'prometheus.io/scrape': 'true',
  'prometheus.io/path': '/stats/prometheus',
  'prometheus.io/port': '15020',
};
const metricsOf = (pod: TestPod): unknown =>
  JSON.parse(
    containerOf(pod, 'mesh-proxy').env?.find(({ name }) => name === 'MESH_METRICS_ANNOTATIONS')?.value ?? 'null',
  );

test('scrapers go to the status port if the template has an agent that merges metrics', (t) => {
  const pod = injected(podOf({ annotations: OWN }), MERGE);
  t.like(pod.metadata.annotations, MERGED);
  t.deepEqual(metricsOf(pod), { scrape: 'true', path: '/metrics', port: '9090' });
  t.deepEqual(injected(pod, MERGE), pod);
});

test('a pod that excludes scraping or merging keeps its annotations', (t) => {
  for (const [annotations, given] of [
    [{ ...OWN, 'prometheus.io/scrape': 'false' }, MERGE],
    [{ ...OWN, 'metrics.mesh.internal/merge-metrics': 'false' }, MERGE],
    [OWN, { ...MERGE, mesh: { enablePrometheusMerge: false } }],
    [OWN, {}],
  ] as const) {
    const pod = injected(podOf({ annotations }), given);
    t.like(pod.metadata.annotations, annotations);
    t.is(metricsOf(pod), null);
  }
});

test('the annotation of a pod overrides the mesh config', (t) => {
  const pod = podOf({ annotations: { 'metrics.mesh.internal/merge-metrics': 'true' } });
  t.like(injected(pod, { ...MERGE, mesh: { enablePrometheusMerge: false } }).metadata.annotations, MERGED);
});
