import test from 'ava';
import { InjectionError } from '../../../src/webhooks/injection/injection-error.js';
import { containerOf, decide, type Given, injected, patchOf, podOf, SMALL_TEMPLATE } from './support/injection.js';

const operations = (pod: unknown, given: Given = {}): readonly string[] =>
  patchOf(pod, given).map(({ op, path }) => `${op} ${path}`);

test('operations come in order: lists, annotations, labels', (t) => {
  t.deepEqual(operations({ metadata: { name: 'web' }, spec: { containers: [{ name: 'app', image: 'a' }] } }), [
    'add /spec/initContainers',
    'add /spec/containers/-',
    'add /spec/volumes',
    'add /spec/imagePullSecrets',
    'add /metadata/annotations',
    'add /metadata/labels',
    'add /metadata/labels/security.mesh.internal~1tlsMode',
    'add /metadata/labels/service.mesh.internal~1canonical-name',
    'add /metadata/labels/service.mesh.internal~1canonical-revision',
  ]);
});

test('items are added to existing lists and mappings', (t) => {
  const pod = podOf(
    { annotations: { note: 'x' } },
    {
      initContainers: [{ name: 'setup', image: 's' }],
      volumes: [{ name: 'data' }],
      imagePullSecrets: [{ name: 'own' }],
    },
  );
  t.deepEqual(operations(pod).slice(0, 6), [
    'add /spec/initContainers/-',
    'add /spec/containers/-',
    'add /spec/volumes/-',
    'add /spec/imagePullSecrets/-',
    'add /metadata/annotations/sidecar.mesh.internal~1status',
    'add /metadata/labels/mesh.internal~1rev',
  ]);
});

test('the status annotation names the template and all injected items', (t) => {
  const status = JSON.parse(injected(podOf()).metadata.annotations?.['sidecar.mesh.internal/status'] ?? '');
  t.regex(status.version, /^[0-9a-f]{64}$/);
  t.deepEqual(status, {
    version: status.version,
    initContainers: ['mesh-init'],
    containers: ['mesh-proxy'],
    volumes: ['mesh-token'],
    imagePullSecrets: ['mesh-pull'],
  });
});

test('injected items are removed from the end and added again, with the same result', (t) => {
  const pod = podOf({}, { volumes: [{ name: 'data' }], imagePullSecrets: [{ name: 'own' }] });
  const once = injected(pod);
  t.deepEqual(operations(once), [
    'remove /spec/initContainers/0',
    'remove /spec/containers/1',
    'remove /spec/volumes/1',
    'remove /spec/imagePullSecrets/1',
    'add /spec/initContainers/-',
    'add /spec/containers/-',
    'add /spec/volumes/-',
    'add /spec/imagePullSecrets/-',
  ]);
  t.deepEqual(injected(once), once);
});

test('items of a list are removed in reverse order', (t) => {
  const template = 'containers: [{ name: one, image: i }, { name: mesh-proxy, image: i }, { name: two, image: i }]';
  const once = injected(podOf(), { config: { template } });
  t.deepEqual(operations(once).slice(0, 3), [
    'remove /spec/containers/3',
    'remove /spec/containers/2',
    'remove /spec/containers/1',
  ]);
});

test('items that a newer template no longer injects are removed', (t) => {
  const once = injected(podOf());
  const twice = injected(once, { config: { template: 'containers: [{ name: mesh-proxy, image: newer }]' } });
  t.deepEqual(twice.spec.initContainers, []);
  t.deepEqual(twice.spec.volumes, []);
  t.is(containerOf(twice, 'mesh-proxy').image, 'newer');
});

for (const status of [undefined, 'not JSON', '[]', '"text"']) {
  test(`with ${status ?? 'no'} status, containers with the names of old versions are removed`, (t) => {
    const annotations = status === undefined ? {} : { 'sidecar.mesh.internal/status': status };
    const item = (name: string) => ({ name, image: 'old' });
    const pod = podOf(
      { annotations },
      {
        initContainers: ['mesh-init', 'other', 'enable-core-dump'].map(item),
        containers: ['mesh-proxy', 'app'].map(item),
        volumes: [{ name: 'mesh-certs' }],
      },
    );
    const result = injected(pod);
    t.deepEqual(
      result.spec.initContainers?.map(({ name }) => name),
      ['other', 'mesh-init'],
    );
    t.deepEqual(
      result.spec.containers.map(({ name }) => name),
      ['app', 'mesh-proxy'],
    );
    t.deepEqual(
      result.spec.volumes?.map(({ name }) => name),
      ['mesh-token'],
    );
    t.is(containerOf(result, 'mesh-proxy').image, 'proxy');
  });
}

test('a secret of the pod is not added, and stays after a second injection', (t) => {
  const once = injected(podOf({}, { imagePullSecrets: [{ name: 'mesh-pull' }] }));
  t.deepEqual(once.spec.imagePullSecrets, [{ name: 'mesh-pull' }]);
  t.deepEqual(injected(once), once);
});

test('the validation init container is the first one', (t) => {
  const template = 'initContainers: [{ name: mesh-init, image: i }, { name: mesh-validation, image: v }]';
  const pod = podOf({}, { initContainers: [{ name: 'setup', image: 's' }] });
  const once = injected(pod, { config: { template } });
  t.deepEqual(
    once.spec.initContainers?.map(({ name }) => name),
    ['mesh-validation', 'setup', 'mesh-init'],
  );
  t.deepEqual(injected(once, { config: { template } }), once);
});

test('a proxy that the application waits for is the first container', (t) => {
  const given = { values: { holdApplicationUntilProxyStarts: true } };
  const once = injected(podOf(), given);
  t.deepEqual(
    once.spec.containers.map(({ name }) => name),
    ['mesh-proxy', 'app'],
  );
  t.deepEqual(injected(once, given), once);
});

test('a native sidecar and the items before it go before the init containers of the pod', (t) => {
  const template =
    'initContainers: [{ name: mesh-init, image: i }, { name: mesh-proxy, image: p, restartPolicy: Always }]';
  const pod = podOf({}, { initContainers: [{ name: 'migrate', image: 'm' }] });
  const once = injected(pod, { config: { template } });
  t.deepEqual(
    once.spec.initContainers?.map(({ name }) => name),
    ['mesh-init', 'mesh-proxy', 'migrate'],
  );
  t.deepEqual(injected(once, { config: { template } }), once);
});

test('dnsConfig is added or replaced', (t) => {
  const given = { config: { template: 'dnsConfig: { searches: [mesh] }' } };
  t.true(operations(podOf(), given).includes('add /spec/dnsConfig'));
  const own = podOf({}, { dnsConfig: { searches: ['own'] } });
  t.true(operations(own, given).includes('replace /spec/dnsConfig'));
  t.deepEqual(injected(own, given).spec['dnsConfig'], { searches: ['mesh'] });
  t.false(operations(injected(own, given), given).some((operation) => operation.endsWith('dnsConfig')));
});

test('the group of the SDS socket is set if there is such a socket', (t) => {
  const given = { values: { sdsSocketPath: 'unix:/etc/mesh/sds' } };
  const context = (own?: object) =>
    injected(podOf({}, own === undefined ? {} : { securityContext: own }), given).spec['securityContext'];
  t.deepEqual(context(), { fsGroup: 1337 });
  t.deepEqual(context({ runAsUser: 5 }), { runAsUser: 5, fsGroup: 1337 });
  t.deepEqual(context({ fsGroup: 7 }), { fsGroup: 1337 });
  t.is(injected(podOf()).spec['securityContext'], undefined);
});

test('annotations are added or replaced, sorted by their keys', (t) => {
  const given: Given = {
    config: {
      template: 'podRedirectAnnot: { z.redirect: "1", b/redirect: "2" }',
      injectedAnnotations: { 'a~b/c': 'new', same: 'as before' },
    },
  };
  const pod = podOf({ annotations: { 'a~b/c': 'old', same: 'as before' } });
  t.deepEqual(
    operations(pod, given).filter((operation) => operation.includes('annotations')),
    [
      'replace /metadata/annotations/a~0b~1c',
      'add /metadata/annotations/b~1redirect',
      'add /metadata/annotations/sidecar.mesh.internal~1status',
      'add /metadata/annotations/z.redirect',
    ],
  );
  t.like(injected(pod, given).metadata.annotations, { 'a~b/c': 'new', 'z.redirect': '1', 'b/redirect': '2' });
});

test('the mount of the service account token is copied to the proxy', (t) => {
  const mount = { name: 'kube-api-access', mountPath: '/var/run/secrets/kubernetes.io/serviceaccount', readOnly: true };
  const pod = podOf(
    {},
    { containers: [{ name: 'app', image: 'a', volumeMounts: [{ name: 'x', mountPath: '/x' }, mount] }] },
  );
  const once = injected(pod);
  t.deepEqual(containerOf(once, 'mesh-proxy')['volumeMounts'], [mount]);
  t.is(containerOf(once, 'mesh-init')['volumeMounts'], undefined);
  t.deepEqual(injected(once), once);
});

test('a name that the pod already has is rejected with the remedy', (t) => {
  for (const [spec, message] of [
    [{ initContainers: [{ name: 'mesh-proxy', image: 'own' }] }, /^container mesh-proxy of the pod has the name/],
    [
      { volumes: [{ name: 'mesh-token' }] },
      /^volume mesh-token of the pod has the name of an injected volume; rename it$/,
    ],
  ] as const) {
    const error = t.throws(() => decide(podOf({}, spec), { config: { template: SMALL_TEMPLATE } }), {
      instanceOf: InjectionError,
    });
    t.is(error?.code, 'NAME_CONFLICT');
    t.regex(error?.message ?? '', message);
  }
});

test('a container with the user of the proxy causes a warning', (t) => {
  const warningsOf = (spec: object): readonly string[] => {
    const decision = decide(podOf({}, spec));
    return decision.type === 'inject' ? decision.warnings : [];
  };
  const text = "container app runs as user 1337, the proxy's own: its traffic is not captured";
  t.deepEqual(warningsOf({ securityContext: { runAsUser: 1337 } }), [text]);
  const asUser = (runAsUser: number) => [{ name: 'app', image: 'a', securityContext: { runAsUser } }];
  t.deepEqual(warningsOf({ containers: asUser(1337) }), [text]);
  t.deepEqual(warningsOf({ securityContext: { runAsUser: 1337 }, containers: asUser(1000) }), []);
});

test('a native sidecar of any name, and what the template has before it, start before the own init containers', (t) => {
  const orderOf = (restartPolicy: string): readonly string[] | undefined => {
    const template = `initContainers: [{ name: first, image: i }, { name: agent, image: i${restartPolicy} }]`;
    const pod = podOf({}, { initContainers: [{ name: 'migrate', image: 'm' }] });
    return injected(pod, { config: { template } }).spec.initContainers?.map(({ name }) => name);
  };
  t.deepEqual(orderOf(', restartPolicy: Always'), ['first', 'agent', 'migrate']);
  t.deepEqual(orderOf(''), ['migrate', 'first', 'agent']);
});
