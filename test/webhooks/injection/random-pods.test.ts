import test from 'ava';
import fc from 'fast-check';
import { inject } from '../../../src/webhooks/injection/inject.js';
import { InjectionError } from '../../../src/webhooks/injection/injection-error.js';
import { FUZZ_RUNS, fuzzSeed } from '../fixtures/fuzz-seed.js';
import {
  applyTo,
  patchIn,
  requestOf,
  settingsOf,
  shippedSettings,
  type TestPod,
  templates,
  tools,
} from './support/injection.js';

const name = fc.stringMatching(/^[a-z]([a-z0-9-]{0,10}[a-z0-9])?$/);
const text = fc.oneof(
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
    env: fc.array(fc.record({ name, value: text }), { maxLength: 2 }),
    volumeMounts: fc.array(
      fc.record({ name, mountPath: fc.constantFrom('/x', '/var/run/secrets/kubernetes.io/serviceaccount') }),
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

/** Pods as users write them, some of them with what an injector has to look at. */
const pods: fc.Arbitrary<TestPod> = fc.record({
  metadata: fc.record(
    {
      name,
      generateName: name.map((each) => `${each}-`),
      labels: texts,
      annotations: fc.oneof(
        texts,
        fc.record({ 'traffic.sidecar.mesh.internal/includeInboundPorts': fc.constantFrom('*', '', '80,443') }),
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

const SETTINGS = [
  shippedSettings(),
  shippedSettings(
    {},
    { proxy: { ...(shippedSettings().values['proxy'] as object), native: false }, imagePullSecrets: ['pull'] },
  ),
  settingsOf({
    values: { holdApplicationUntilProxyStarts: true, sdsSocketPath: '/sds' },
    config: {
      injectedAnnotations: { note: 'n' },
      template: `
        initContainers: [{ name: mesh-validation, image: v }, { name: mesh-init, image: i }]
        containers: [{ name: helper, image: h }, { name: mesh-proxy, image: p }]
        volumes: [{ name: mesh-v }]
        imagePullSecrets: [{ name: pull }]
        dnsConfig: { searches: [mesh] }
        podRedirectAnnot: { redirect: 'yes' }
        rewriteAppHTTPProbe: true
        mergeMetrics: true`,
    },
  }),
];

/** The result, or undefined for a pod that is refused or skipped. */
function injectOnce(pod: TestPod, settings: (typeof SETTINGS)[number]): TestPod | undefined {
  try {
    const decision = inject(requestOf(pod), settings, tools);
    return decision.type === 'skip' ? undefined : applyTo(pod, patchIn(decision));
  } catch (error) {
    if (error instanceof InjectionError) return undefined;
    throw error;
  }
}

for (const [index, settings] of SETTINGS.entries()) {
  test(`settings ${index}: the patch of any pod applies, doubles nothing, and injecting again changes nothing`, (t) => {
    const seed = fuzzSeed(t);
    let applied = 0;
    fc.assert(
      fc.property(pods, (pod) => {
        const once = injectOnce(pod, settings);
        if (once === undefined) return;
        applied++;
        for (const list of ['containers', 'initContainers', 'volumes', 'imagePullSecrets'] as const) {
          const names = (once.spec[list] ?? []).map((item) => item.name);
          t.is(new Set(names).size, names.length, `${list}: ${names}`);
        }
        const own = pod.spec.containers.map((each) => each.name);
        t.deepEqual(
          once.spec.containers.map((each) => each.name).filter((each) => own.includes(each)),
          own,
        );
        t.deepEqual(injectOnce(once, settings), once);
      }),
      { numRuns: 400, seed },
    );
    t.true(applied > 150, `${applied} were injected`);
  });
}

const FRAGMENTS = fc.constantFrom(
  ...[
    '{{',
    '}}',
    '{%',
    '%}',
    '{%-',
    '-%}',
    '|',
    ' ',
    '\n',
    "'",
    '"',
    '[',
    ']',
    '(',
    ')',
    '.',
    ',',
    ':',
    '==',
    '0',
    '99999999',
    '-1',
  ],
  ...[
    'if',
    'endif',
    'for x in',
    'endfor',
    'assign a =',
    'capture c',
    'endcapture',
    'case',
    'when',
    'raw',
    'liquid',
    'cycle',
    'tablerow',
  ],
  ...[
    'Values',
    'Spec.containers',
    'ObjectMeta',
    'ProxyConfig',
    '__proto__',
    'constructor',
    'prototype',
    'a',
    'x',
    'forloop.parentloop',
  ],
  ...[
    'toJSON',
    'fromJSON',
    'toYaml',
    'fromYaml',
    'indent: 4',
    'render',
    'env',
    'isset',
    'literal',
    'annotation: a',
    'split: ""',
  ],
  ...[
    'applicationProbes',
    'applicationPorts',
    'excludeInboundPort: a',
    'formatDuration',
    'sort',
    'map: "a"',
    'where: "a"',
    'join',
    'date: a',
    'slice: 1, 9',
  ],
);

test('whatever a template says, it renders or refuses the pod, and in time', (t) => {
  const seed = fuzzSeed(t);
  const { mesh } = settingsOf({});
  let rendered = 0;
  const property = fc.property(fc.array(fc.oneof(FRAGMENTS, fc.string()), { maxLength: 24 }), (parts) => {
    const startMs = performance.now();
    const template = parts.join(' ');
    try {
      const compiled = templates.compile(template);
      const settings = {
        config: { ...settingsOf({}).config, template },
        values: { a: ['b'] },
        template: compiled,
        mesh,
      };
      inject(requestOf({ metadata: { name: 'p' }, spec: { containers: [{ name: 'app' }] } }), settings, tools);
      rendered++;
    } catch (error) {
      if (!(error instanceof InjectionError)) throw error;
    }
    const tookMs = performance.now() - startMs;
    t.true(tookMs < 10_000, `${tookMs} ms: ${template}`);
  });
  fc.assert(property, { numRuns: FUZZ_RUNS, seed });
  t.true(rendered > 100, `${rendered} gave something that can be injected`);
});

test('whatever annotations say, a pod is injected or refused', (t) => {
  const seed = fuzzSeed(t);
  const settings = settingsOf({
    config: { template: 'containers: [{ name: mesh-proxy, image: {{ ObjectMeta | annotation: "a", "b" | toJSON }} }]' },
  });
  const keys = Object.values(tools.names).filter((each) => typeof each === 'string');
  const value = fc.oneof(
    text,
    fc.json(),
    fc.constantFrom('*', '80', '10.0.0.0/8', 'true', 'NONE', '1e9', '٣', '\u0000', 'a: &a [*a]', '<<: {}'),
  );
  const annotations = fc.dictionary(
    fc.oneof(fc.constantFrom(...keys), fc.constantFrom('__proto__', 'constructor', 'a')),
    value,
  );
  let taken = 0;
  const property = fc.property(annotations, (given) => {
    const pod: TestPod = {
      metadata: { name: 'p', annotations: given },
      spec: { containers: [{ name: 'app', image: 'i' }] },
    };
    const once = injectOnce(pod, settings);
    if (once === undefined) return;
    taken++;
    t.deepEqual(injectOnce(once, settings), once);
  });
  fc.assert(property, { numRuns: FUZZ_RUNS, seed });
  t.true(taken > 500, `${taken} were injected`);
});

test('whatever is sent as a pod, it is decided about', (t) => {
  const seed = fuzzSeed(t);
  const settings = settingsOf({});
  const odd = fc.object({
    key: fc.constantFrom(
      'metadata',
      'spec',
      'containers',
      'name',
      'labels',
      'annotations',
      'ownerReferences',
      'volumes',
      'httpGet',
      '__proto__',
    ),
    maxDepth: 5,
  });
  const property = fc.property(fc.oneof(odd, fc.jsonValue()), (object) => {
    try {
      const decision = inject(requestOf(JSON.parse(JSON.stringify(object) ?? 'null')), settings, tools);
      t.true(['skip', 'inject'].includes(decision.type));
    } catch (error) {
      t.true(error instanceof InjectionError, String(error));
    }
  });
  fc.assert(property, { numRuns: FUZZ_RUNS, seed });
});
