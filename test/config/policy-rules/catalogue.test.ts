import test from 'ava';
import { processorMs } from '../../support/processor-ms.js';
import { problemsOf, readRuleKind } from './support.js';

const quota = (more: object) => ({ quotas: [{ name: 'q', maxAmount: 1, validDuration: '1s', ...more }] });
const metric = (more: object) => ({ metrics: [{ name: 'm', instanceName: 'i', kind: 'COUNTER', ...more }] });
const redis = (more: object) => ({ redisServerUrl: 'redis:6379', ...quota(more) });

/** Wrong parameters of each adapter. */
const HANDLERS: readonly (readonly [adapter: string, params: object, problem: string])[] = [
  ['memqota', {}, 'spec.compiledAdapter: "memqota": is not a built-in adapter; did you mean memquota?'],
  [
    'fluentd',
    {},
    'spec.compiledAdapter: "fluentd": is not a built-in adapter; use one of denier, listchecker, memquota, redisquota, rbac, prometheus, stdio, otlp, noop, kubernetesenv, or name an object of kind adapter in adapter',
  ],
  ['memquota', { quota: [] }, 'spec.params.quota: []: is not a known field; did you mean quotas?'],
  [
    'memquota',
    { quotas: 7 },
    'spec.params.quotas: 7: is a number, not an array; write a list, each item on a line that starts with "-"',
  ],
  [
    'memquota',
    quota({ validDuration: '1 s' }),
    'spec.params.quotas[0].validDuration: "1 s": does not have the required form; it is: Length of the window',
  ],
  [
    'memquota',
    quota({ validDuration: '0s' }),
    'spec.params.quotas[0].validDuration: "0s": is shorter than 1ms; use for example 500ms, 1.5s or 10m',
  ],
  [
    'memquota',
    quota({ maxAmount: 1, max_amount: 2 }),
    'spec.params.quotas[0].max_amount: 2: is not a known field; did you mean maxAmount?',
  ],
  [
    'memquota',
    { quotas: [...quota({}).quotas, ...quota({}).quotas] },
    'spec.params.quotas[1].name: "q": is also the name of quotas[0]; remove one of the two',
  ],
  [
    'listchecker',
    { providerUrl: 'http://user:secret@lists.shop/a' },
    'spec.params.providerUrl: has credentials in it; remove them: they are not sent',
  ],
  [
    'listchecker',
    { providerUrl: 'http://lists.shop/a', ttl: '30s' },
    'spec.params.ttl: "30s": is shorter than refreshInterval (60s), so that the list would be missing between fetches; make it longer, for example 300s',
  ],
  [
    'redisquota',
    quota({}),
    'spec.params.redisServerUrl: is missing; add it: The Redis server: host:port, or redis://host:port, or rediss://host:port for TLS',
  ],
  [
    'redisquota',
    { redisServerUrl: 'http://user:secret@redis' },
    'spec.params.redisServerUrl: is not the address of a Redis server; use for example redis.shop:6379, or rediss://redis.shop:6380',
  ],
  [
    'redisquota',
    redis({ rateLimitAlgorithm: 'ROLLING_WINDOW', bucketDuration: '1s' }),
    'spec.params.quotas[0].bucketDuration: "1s": is not shorter than validDuration (1s); make it shorter',
  ],
  ['denier', { status: { code: 17 } }, 'spec.params.status.code: 17: is out of range; use 1 to 16'],
  [
    'denier',
    { status: { details: [{ '@type': 'a/b.DirectHttpResponse', code: 'Found', headers: { 'a b': 'c' } }] } },
    'spec.params.status.details[0].headers["a b"]: "c": is not a header; use for example location: https://www.example.com/',
  ],
  ['listchecker', {}, 'spec.params.overrides: []: has no entries; add entries, or set providerUrl'],
  [
    'listchecker',
    { providerUrl: 'file:///etc/list' },
    'spec.params.providerUrl: "file:///etc/list": is not a URL of HTTP; use a URL that begins with http:// or https://',
  ],
  [
    'listchecker',
    { entryType: 'IP_ADDRESSES', overrides: ['10.0.0.0/33'] },
    'spec.params.overrides[0]: "10.0.0.0/33": is not an address; use for example 10.1.2.3 or 10.0.0.0/8',
  ],
  [
    'prometheus',
    metric({ kind: 'KIND_UNSPECIFIED' }),
    'spec.params.metrics[0].kind: "KIND_UNSPECIFIED": is not one of the allowed values; use GAUGE, COUNTER, DISTRIBUTION',
  ],
  [
    'prometheus',
    metric({ buckets: { explicitBuckets: { bounds: [1] } } }),
    'spec.params.metrics[0].buckets: is set, but a COUNTER has no buckets; remove it, or use DISTRIBUTION',
  ],
  [
    'prometheus',
    metric({ kind: 'DISTRIBUTION', buckets: { explicitBuckets: { bounds: [2, 1] } } }),
    'spec.params.metrics[0].buckets.explicitBuckets.bounds[1]: 1: is not above the bound before it (2); sort the bounds',
  ],
  [
    'prometheus',
    metric({
      kind: 'DISTRIBUTION',
      buckets: { exponentialBuckets: { numFiniteBuckets: 2, growthFactor: 1, scale: 1 } },
    }),
    'spec.params.metrics[0].buckets.exponentialBuckets.growthFactor: 1: is not above 1; use a number above 1',
  ],
  [
    'prometheus',
    metric({ labelNames: ['a', 'a'] }),
    'spec.params.metrics[0].labelNames[1]: "a": repeats labelNames[0]; remove it',
  ],
  [
    'stdio',
    { logStream: 'SYSLOG' },
    'spec.params.logStream: "SYSLOG": is not one of the allowed values; use STDOUT, STDERR, FILE, ROTATED_FILE',
  ],
  [
    'otlp',
    { endpoint: 'collector:4317' },
    'spec.params.endpoint: "collector:4317": is not a URL of HTTP; use for example http://collector.shop:4318',
  ],
  [
    'otlp',
    { endpoint: 'http://collector:4318', headers: { 'Content-Length': '7' } },
    'spec.params.headers.Content-Length: is set by the sender; remove it',
  ],
  [
    'prometheus',
    metric({ labelNames: ['mesh_handler'] }),
    'spec.params.metrics[0].labelNames[0]: "mesh_handler": is the name of a label that policy servers or scrapers add; use another name',
  ],
  [
    'rbac',
    { cacheDuration: '1us' },
    'spec.params.cacheDuration: "1us": is shorter than 1ms; use for example 500ms, 1.5s or 10m',
  ],
  ['noop', { a: 1 }, 'spec.params.a: 1: is not a known field; known fields here are '],
];

for (const [compiledAdapter, params, problem] of HANDLERS) {
  test(`a handler of ${compiledAdapter} is refused: ${problem}`, (t) => {
    t.deepEqual(problemsOf('handler', { compiledAdapter, params }), [problem]);
  });
}

test('a list refuses an expression that RE2 does not take', (t) => {
  const [problem] = problemsOf('handler', {
    compiledAdapter: 'listchecker',
    params: { entryType: 'REGEX', overrides: ['a('] },
  });
  t.regex(problem ?? '', /^spec\.params\.overrides\[0\]: "a\(": /);
});

test('parameters are read with their defaults, in one spelling', (t) => {
  const params = { valid_use_count: 5 };
  t.like(readRuleKind('handler', { compiledAdapter: 'denier', params }).body, {
    params: { status: { code: 9 }, validDuration: '5s', validUseCount: 5 },
  });
});

test('keys of maps keep their spelling', (t) => {
  const params = quota({ overrides: [{ dimensions: { source_app: 'web' }, max_amount: 1 }] });
  t.like(readRuleKind('handler', { compiledAdapter: 'memquota', params }).body, {
    params: { quotas: [{ overrides: [{ dimensions: { source_app: 'web' }, maxAmount: 1 }] }] },
  });
});

/** Wrong instances. */
const INSTANCES: readonly (readonly [spec: object, problem: string])[] = [
  [{ compiledTemplate: 'quotas' }, 'spec.compiledTemplate: "quotas": is not a built-in template; did you mean quota?'],
  [
    { compiledTemplate: 'listentry' },
    'spec.params.value: is missing; add an expression, which the template listentry needs',
  ],
  [
    { compiledTemplate: 'apikey', params: { apiKey: 'source.ip' } },
    'spec.params.apiKey: "source.ip": has the type IP_ADDRESS, and the field needs STRING; use an expression of the type STRING',
  ],
  [
    { compiledTemplate: 'quota', params: { dimension: {} } },
    'spec.params.dimension: {}: is not a field of the template quota; did you mean dimensions?',
  ],
  [
    { compiledTemplate: 'quota', params: { dimensions: 'request.path' } },
    'spec.params.dimensions: "request.path": is not a mapping; write items as "name: expression"',
  ],
  [
    { compiledTemplate: 'quota', params: { dimensions: { user: ['a'] } } },
    'spec.params.dimensions.user: a list of 1: is not an expression; write a text, for example request.path',
  ],
  [
    { compiledTemplate: 'apikey', params: { apiKey: 'request.api_key', api_key: 'request.api_key' } },
    'spec.params.api_key: "request.api_key": repeats apiKey in another spelling; keep one of them',
  ],
  [
    { compiledTemplate: 'authorization', params: { subject: { user: 'request.size' } } },
    'spec.params.subject.user: "request.size": has the type INT64, and the field needs STRING; use an expression of the type STRING',
  ],
  [
    { compiledTemplate: 'checknothing', attributeBindings: { a: '$out.b' } },
    'spec.attributeBindings: a mapping: is set, but handlers of the template checknothing add no attributes; remove it',
  ],
  [
    {
      compiledTemplate: 'quota',
      params: { dimensions: Object.fromEntries(Array.from({ length: 257 }, (_, i) => [`d${i}`, '1'])) },
    },
    'spec.params: has more than 256 expressions or 65536 characters in them; spread them over several instances',
  ],
];

for (const [spec, problem] of INSTANCES) {
  test(`an instance is refused: ${problem}`, (t) => {
    t.deepEqual(problemsOf('instance', spec), [problem]);
  });
}

test('an instance of a template of your own is refused if one of its expressions is wrong, at any level', (t) => {
  const [problem, ...others] = problemsOf('instance', { template: 'own', params: { a: [{ b: 'request.path ==' }] } });
  t.regex(problem ?? '', /^spec\.params\.a\[0\]\.b: "request\.path ==": is no valid expression: 1:\d+: /);
  t.deepEqual(others, []);
  t.deepEqual(problemsOf('instance', { template: 'own', params: { a: [{ b: 'request.path', c: 7, d: null }] } }), []);
});

test('a rule is refused if its condition is not true or false, or is no expression', (t) => {
  t.deepEqual(problemsOf('rule', { match: 'request.path' }), [
    'spec.match: "request.path": has the type STRING, and the field needs BOOL; use an expression of the type BOOL',
  ]);
  t.regex(
    problemsOf('rule', { match: 'request.path = "/"' })[0] ?? '',
    /^spec\.match: "request\.path = \\"\/\\"": is no valid expression: 1:\d+: /,
  );
  t.regex(
    problemsOf('rule', { responseHeaderOperations: [{ name: 'a', values: ['request.size'] }] })[0] ?? '',
    /^spec\.responseHeaderOperations\[0\]\.values\[0\]: "request\.size": has the type INT64/,
  );
});

test('an attribute that a manifest may declare later is left to analysis', (t) => {
  t.deepEqual(problemsOf('rule', { match: 'request.tier == "gold"' }), []);
});

test('instances with very deep or many parts are refused quickly', (t) => {
  let deep: object = { a: '1' };
  for (let level = 0; level < 5_000; level += 1) deep = { a: deep };
  t.true(problemsOf('instance', { template: 'own', params: deep })[0]?.includes('has more than 16 levels'));
  const expression = Array.from({ length: 300 }, () => 'request.path == "a"')
    .join(' && ')
    .slice(0, 8_000);
  const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`d${index}`, expression]));
  let problems: readonly string[] = [];
  const spentMs = processorMs(() => {
    problems = problemsOf('instance', { compiledTemplate: 'quota', params: { dimensions: many } });
  });
  t.true(problems.length > 0);
  t.true(spentMs < 2_000, `${spentMs} ms`);
});
