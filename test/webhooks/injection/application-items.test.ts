import test from 'ava';
import { InjectionError } from '../../../src/webhooks/injection/injection-error.js';
import { containerOf, decide, injected, podOf, type TestPod } from './support/injection.js';

const STATUS = 'sidecar.mesh.internal/status';
const TEMPLATES = 'inject.mesh.internal/templates';
const LIBRARY = `
initContainers: [{ name: mesh-library, image: library }]
volumes: [{ name: mesh-files, emptyDir: {} }]
applicationEnv: [{ name: FILE, value: /files/a }, { name: NODE, valueFrom: { fieldRef: { fieldPath: spec.nodeName } } }]
applicationVolumeMounts: [{ name: mesh-files, mountPath: /files, readOnly: true }]
`;
const GIVEN = { config: { templates: { library: LIBRARY } } };
const chosen = { annotations: { [TEMPLATES]: 'library' } };
const FILE = { name: 'FILE', value: '/files/a' };
const NODE = { name: 'NODE', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } };
const MOUNT = { name: 'mesh-files', mountPath: '/files', readOnly: true };

const withTemplate = (pod: TestPod, template: string): TestPod => ({
  ...pod,
  metadata: { ...pod.metadata, annotations: { ...pod.metadata.annotations, [TEMPLATES]: template } },
});

test('each of the own containers gets the variables and mounts of the template, after what prepares them', (t) => {
  const pod = injected(
    podOf(chosen, {
      initContainers: [{ name: 'migrate', image: 'a', env: [{ name: 'OWN', value: '1' }] }],
      containers: [
        { name: 'app', image: 'a', volumeMounts: [{ name: 'data', mountPath: '/data' }] },
        { name: 'other', image: 'a' },
      ],
    }),
    GIVEN,
  );
  t.deepEqual(
    pod.spec.initContainers?.map(({ name }) => name),
    ['mesh-library', 'migrate'],
  );
  t.deepEqual(containerOf(pod, 'migrate').env, [{ name: 'OWN', value: '1' }, FILE, NODE]);
  t.like(containerOf(pod, 'app'), { env: [FILE, NODE], volumeMounts: [{ name: 'data', mountPath: '/data' }, MOUNT] });
  t.like(containerOf(pod, 'other'), { env: [FILE, NODE], volumeMounts: [MOUNT] });
  t.deepEqual(containerOf(pod, 'mesh-library'), { name: 'mesh-library', image: 'library' });
});

test('a variable or mount of the container itself stays, and the author is told', (t) => {
  const env = [{ name: 'FILE', value: 'mine' }];
  const volumeMounts = [{ name: 'data', mountPath: '/files' }];
  const decision = decide(podOf(chosen, { containers: [{ name: 'app', image: 'a', env, volumeMounts }] }), GIVEN);
  t.deepEqual(decision.warnings, [
    'container app sets the variable FILE itself, which replaces what the injection template gives it',
    'container app mounts a volume at /files itself, which replaces what the injection template gives it',
  ]);
  const pod = injected(podOf(chosen, { containers: [{ name: 'app', image: 'a', env, volumeMounts }] }), GIVEN);
  t.like(containerOf(pod, 'app'), { env: [...env, NODE], volumeMounts });
  t.deepEqual(injected(pod, GIVEN), pod);
});

test('a second injection with defaults of the API server adds nothing twice', (t) => {
  const once = injected(podOf(chosen), GIVEN);
  const defaulted = JSON.parse(
    JSON.stringify(once).replace('"fieldPath":"spec.nodeName"', '"fieldPath":"spec.nodeName","apiVersion":"v1"'),
  );
  t.deepEqual(injected(defaulted, GIVEN), once);
});

test('a pod that chooses another template loses what the first one added', (t) => {
  const pod = podOf(chosen, { containers: [{ name: 'app', image: 'a', env: [{ name: 'OWN', value: '1' }] }] });
  const changed = injected(withTemplate(injected(pod, GIVEN), 'sidecar'), GIVEN);
  t.like(containerOf(changed, 'app'), { env: [{ name: 'OWN', value: '1' }], volumeMounts: [] });
  t.is(JSON.parse(changed.metadata.annotations?.[STATUS] ?? '').application, undefined);
});

test('a forged status annotation removes only variables of its own pod, and breaks nothing', (t) => {
  const env = [{ name: 'OWN', value: '1' }];
  for (const application of [
    { app: { env: 'OWN' } },
    { app: 1 },
    { app: { env: [1, { name: 'OWN' }] } },
    [],
    { other: { env: ['OWN'] } },
  ]) {
    const annotations = { [STATUS]: JSON.stringify({ application }) };
    const pod = injected(podOf({ annotations }, { containers: [{ name: 'app', image: 'a', env }] }), GIVEN);
    t.deepEqual(containerOf(pod, 'app').env, env, JSON.stringify(application));
  }
});

for (const [what, template, message] of [
  [
    'a mount without a path',
    'applicationVolumeMounts: [{ name: a }]',
    /applicationVolumeMounts\[0\]\.mountPath: is not a text; give each item a mountPath/,
  ],
  [
    'a variable that occurs twice',
    'applicationEnv: [{ name: A }, { name: A }]',
    /applicationEnv\[1\]\.name: "A" occurs twice/,
  ],
  ['variables that are no list', 'applicationEnv: { A: a }', /applicationEnv: is not a list/],
] as const) {
  test(`a template with ${what} rejects the pod`, (t) => {
    const error = t.throws(() => injected(podOf(chosen), { config: { templates: { library: template } } }), {
      instanceOf: InjectionError,
    });
    t.regex(error?.message ?? '', message);
  });
}

test('the path of the URL sets the cluster of each injected container that has the variable', (t) => {
  const template =
    'initContainers: [{ name: b, image: b, env: [{ name: MESH_META_CLUSTER_ID, value: x }] }, { name: c, image: c }]';
  const pod = injected(podOf(chosen), {
    config: { templates: { library: template } },
    request: { path: '/inject/cluster/east/net/vpc' },
  });
  t.deepEqual(containerOf(pod, 'b').env, [{ name: 'MESH_META_CLUSTER_ID', value: 'east' }]);
  t.is(containerOf(pod, 'c').env, undefined);
});
