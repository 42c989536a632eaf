import test from 'ava';
import { inject } from '../../../src/webhooks/injection/inject.js';
import { InjectionError } from '../../../src/webhooks/injection/injection-error.js';
import fc from '../../support/property-testing.js';
import { FUZZ_RUNS, fuzzSeed } from '../fixtures/fuzz-seed.js';
import { pods, text } from './support/arbitrary-pods.js';
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
  test(`settings ${index}: the patch of any pod applies without duplicates, and a second injection changes nothing`, (t) => {
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

test('every template renders or rejects the pod, in time', (t) => {
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
        compiled: new Map([[template, compiled]]),
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

test('a pod with any annotations is injected or rejected', (t) => {
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

test('every object leads to a decision', (t) => {
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
