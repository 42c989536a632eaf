import test from 'ava';
import { InjectionError } from '../../../src/webhooks/injection/injection-error.js';
import { containerOf, injected, podOf, type TestContainer, type TestPod } from './support/injection.js';

const STATUS = 'sidecar.mesh.internal/status';
const ROUTER = `
containers:
  - name: mesh-proxy
    image: envoy
    imagePullPolicy: IfNotPresent
    env: [{ name: A, value: a }, { name: B, value: b }]
    ports: [{ containerPort: 15090 }]
    resources: { requests: { cpu: 1 } }
    securityContext: { runAsNonRoot: true }
`;
const GIVEN = { config: { templates: { router: ROUTER } } };

const routerOf = (placeholder: Partial<TestContainer>, others: readonly TestContainer[] = []): TestPod =>
  podOf(
    { annotations: { 'inject.mesh.internal/templates': 'router' } },
    { containers: [{ name: 'mesh-proxy', image: 'auto', ...placeholder }, ...others] },
  );

test('the container of the chosen template takes the place of the container of the pod with the image auto', (t) => {
  const pod = injected(routerOf({ imagePullPolicy: 'Always', resources: {}, terminationMessagePath: '/log' }), GIVEN);
  t.deepEqual(pod.spec.containers, [
    {
      name: 'mesh-proxy',
      image: 'envoy',
      imagePullPolicy: 'IfNotPresent',
      env: [
        { name: 'A', value: 'a' },
        { name: 'B', value: 'b' },
      ],
      ports: [{ containerPort: 15090 }],
      resources: { requests: { cpu: 1 } },
      securityContext: { runAsNonRoot: true },
      terminationMessagePath: '/log',
    },
  ]);
  t.is(pod.spec.initContainers, undefined, 'nothing of the sidecar is injected');
});

test('fields of the own container replace those of the template, and lists are joined', (t) => {
  const pod = injected(
    routerOf({
      env: [{ name: 'B', value: 'mine' }],
      ports: [{ containerPort: 8080 }],
      resources: { requests: { cpu: 4 } },
    }),
    GIVEN,
  );
  t.like(containerOf(pod, 'mesh-proxy'), {
    env: [
      { name: 'A', value: 'a' },
      { name: 'B', value: 'mine' },
    ],
    ports: [{ containerPort: 15090 }, { containerPort: 8080 }],
    resources: { requests: { cpu: 4 } },
  });
});

test('a second injection keeps the fields of the replaced container', (t) => {
  const pod = routerOf({ resources: { requests: { cpu: 4 } } }, [{ name: 'app', image: 'app' }]);
  const once = injected(pod, GIVEN);
  t.deepEqual(
    once.spec.containers.map(({ name }) => name),
    ['app', 'mesh-proxy'],
  );
  t.deepEqual(injected(once, GIVEN), once);
});

test('a status annotation with containers that were no placeholders adds none', (t) => {
  const status = JSON.stringify({ placeholders: [{ name: 'x', image: 'y' }, { image: 'auto' }, 'auto'] });
  const pod = routerOf({});
  const forged = {
    ...pod,
    metadata: { ...pod.metadata, annotations: { ...pod.metadata.annotations, [STATUS]: status } },
  };
  t.deepEqual(injected(forged, GIVEN).spec, injected(pod, GIVEN).spec);
});

test('peers use no mutual TLS at a pod with another template than that of sidecars', (t) => {
  const label = 'security.mesh.internal/tlsMode';
  t.is(injected(routerOf({}), GIVEN).metadata.labels?.[label], 'disabled');
  t.is(injected(podOf(), GIVEN).metadata.labels?.[label], 'mesh');
});

test('an unknown template rejects the pod with the known names', (t) => {
  const error = t.throws(() => injected(podOf({ annotations: { 'inject.mesh.internal/templates': 'x' } }), GIVEN), {
    instanceOf: InjectionError,
  });
  t.is(error?.message, "invalid value 'x' for annotation 'inject.mesh.internal/templates': use one of sidecar, router");
});
