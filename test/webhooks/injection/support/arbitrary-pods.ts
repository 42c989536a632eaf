import fc from '../../../support/property-testing.js';
import type { TestPod } from './injection.js';

const name = fc.stringMatching(/^[a-z]([a-z0-9-]{0,10}[a-z0-9])?$/);
/** Texts with a meaning in templates, in YAML or in Kubernetes. */
export const text = fc.oneof(
  fc.string(),
  fc.constantFrom('$(POD_NAME)', '$$', '{{ Values }}', '"', "'", '\n- a: b', '#', '*', '&a'),
);
const port = fc.oneof(fc.integer({ min: 0, max: 70000 }), fc.constantFrom('http', 'grpc', ''));
const probe = fc.oneof(
  fc.record(
    {
      httpGet: fc.record(
        { path: text, port, scheme: fc.constantFrom('HTTP', 'HTTPS'), host: text },
        { requiredKeys: ['port'] },
      ),
      timeoutSeconds: fc.nat(9),
    },
    { requiredKeys: ['httpGet'] },
  ),
  fc.record({ tcpSocket: fc.record({ port }) }),
);
const container = fc.record(
  {
    name,
    image: name,
    ports: fc.array(
      fc.record({ name: fc.constantFrom('http', 'grpc'), containerPort: fc.integer({ min: 1, max: 65535 }) }),
      { maxLength: 2 },
    ),
    readinessProbe: probe,
    livenessProbe: probe,
    startupProbe: probe,
    env: fc.array(fc.record({ name: fc.oneof(name, fc.constant('GRPC_XDS_BOOTSTRAP')), value: text }), {
      maxLength: 2,
    }),
    volumeMounts: fc.array(
      fc.record({
        name,
        mountPath: fc.constantFrom('/x', '/etc/mesh/grpc', '/var/run/secrets/kubernetes.io/serviceaccount'),
      }),
      { maxLength: 2 },
    ),
    securityContext: fc.record({ runAsUser: fc.constantFrom(0, 1337) }),
  },
  { requiredKeys: ['name', 'image'] },
);
const items = fc.uniqueArray(fc.record({ name }), { selector: (item) => item.name, maxLength: 3 });
const texts = fc.dictionary(
  fc.oneof(name, fc.constantFrom('app', 'version', 'a/b~c', 'prometheus.io/scrape', 'prometheus.io/port')),
  fc.oneof(name, fc.constantFrom('true', 'false', '9090')),
);

/** Pods as users write them, some with fields that the injector reads. */
export const pods: fc.Arbitrary<TestPod> = fc.record({
  metadata: fc.record(
    {
      name,
      generateName: name.map((each) => `${each}-`),
      labels: texts,
      annotations: fc.oneof(
        texts,
        fc.record({ 'traffic.sidecar.mesh.internal/includeInboundPorts': fc.constantFrom('*', '', '80,443') }),
        fc.record({ 'inject.mesh.internal/templates': fc.constant('grpc-agent') }),
        fc.record({ 'sidecar.mesh.internal/interceptionMode': fc.constantFrom('NONE', 'REDIRECT') }),
        fc.record({ 'status.sidecar.mesh.internal/port': fc.constantFrom('0', '15020', '19000') }),
        fc.record({
          'proxy.mesh.internal/config': fc.constantFrom('concurrency: 4', '{}', 'controlPlaneAuthPolicy: NONE'),
        }),
      ),
      ownerReferences: fc.array(
        fc.record({
          apiVersion: fc.constant('apps/v1'),
          kind: fc.constantFrom('ReplicaSet', 'Job'),
          name,
          controller: fc.boolean(),
        }),
        { maxLength: 2 },
      ),
    },
    { requiredKeys: [] },
  ),
  spec: fc.record(
    {
      containers: fc.uniqueArray(container, { selector: (each) => each.name, minLength: 1, maxLength: 4 }),
      initContainers: fc.uniqueArray(
        container.map((each) => ({ ...each, name: `init-${each.name}` })),
        { selector: (each) => each.name, maxLength: 2 },
      ),
      volumes: items,
      imagePullSecrets: items,
      securityContext: fc.record({ fsGroup: fc.nat(2000), runAsUser: fc.nat(2000) }, { requiredKeys: [] }),
      dnsConfig: fc.record({ searches: fc.array(name, { maxLength: 2 }) }),
    },
    { requiredKeys: ['containers'] },
  ),
});
