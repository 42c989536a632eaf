import test from 'ava';
import { analysisInputOf, type Enforcement } from '../../../src/status/analysis/analysis-input.js';
import { analyze } from '../../../src/status/analysis/analyze.js';
import { MESH } from '../../generators/context-builder.js';
import { ofCluster, tenantMesh } from '../../model/policy/tenant-objects.js';
import { ACCOUNTS, descriptorOf } from '../../support/adapter-descriptors.js';
import { ENFORCEMENT, messagesOf, policyObjects } from './support.js';

/** Messages of the policy runtime without remedies, and without the one that all objects have. */
function said(text: string): readonly string[] {
  return messagesOf(text)
    .filter((line) => /^MESH(0101|027[2-9]|0280)/.test(line))
    .map((line) => line.split('; ')[0] ?? '');
}

const CHECKS = `rule shop/deny {actions: [{handler: refuse, instances: [any]}]}
  handler shop/refuse {compiledAdapter: denier}
  instance shop/any {compiledTemplate: checknothing}`;
const REPORTS = `rule shop/log {actions: [{handler: out, instances: [entry]}]}
  handler shop/out {compiledAdapter: stdio}
  instance shop/entry {compiledTemplate: reportnothing}`;

/** Object and message without the remedy, of one code. */
function saidWith(code: string, text: string, policy: object, more: Partial<Enforcement> = {}): readonly string[] {
  const mesh = { policy: { ...MESH.policy, ...policy } };
  const { context } = tenantMesh(policyObjects(text), mesh);
  return analyze(analysisInputOf(context, { ...ENFORCEMENT, ...more }))
    .filter((message) => message.code === code)
    .map(({ object, message }) => `${object}: ${message.split(';')[0]}`);
}
const ON = {
  mixerCheckServer: 'embedded',
  mixerReportServer: 'embedded',
  disablePolicyChecks: false,
  disableMixerHttpReports: false,
};

test('a rule whose checks or reports the mesh config turns off is MESH0204, and with both off all its objects', (t) => {
  t.deepEqual(saidWith('MESH0204', `${CHECKS}\n${REPORTS}`, ON), []);
  t.deepEqual(saidWith('MESH0204', `${CHECKS}\n${REPORTS}`, { ...ON, disablePolicyChecks: true }), [
    'rule/shop/deny: this rule is not enforced: disablePolicyChecks of the mesh config is true',
  ]);
  t.deepEqual(saidWith('MESH0204', `${CHECKS}\n${REPORTS}`, { ...ON, disableMixerHttpReports: true }), [
    'rule/shop/log: this rule is not enforced: disableMixerHttpReports of the mesh config is true',
  ]);
  t.is(saidWith('MESH0204', `${CHECKS}\n${REPORTS}`, {}).length, 6);
});

test('a handler that the policy server cannot start is MESH0281, and all objects are MESH0282 if it asks another server', (t) => {
  const failedHandlers = new Map([['handler/shop/refuse', 'params.status: cannot be used']]);
  t.deepEqual(saidWith('MESH0281', CHECKS, ON, { failedHandlers }), [
    'handler/shop/refuse: params.status: cannot be used',
  ]);
  t.deepEqual(saidWith('MESH0282', CHECKS, ON, { failedHandlers: 'decided elsewhere' }), [
    'handler/shop/refuse: the policy server asks the one at backend of its configuration, and applies no rules',
    'instance/shop/any: the policy server asks the one at backend of its configuration, and applies no rules',
    'rule/shop/deny: the policy server asks the one at backend of its configuration, and applies no rules',
  ]);
});

test('a quota that a rule counts needs no limit in the configuration, so it is no MESH0208', (t) => {
  const spec = 'QuotaSpec shop/q {rules: [{quotas: [{quota: requests, charge: 1}, {quota: other, charge: 1}]}]}';
  const counted = `rule shop/r {actions: [{handler: counter, instances: [requests]}]}
    handler shop/counter {compiledAdapter: memquota, params: {quotas: [{name: requests, maxAmount: 1, validDuration: 1s}]}}
    instance shop/requests {compiledTemplate: quota}`;
  const limits = { limitedQuotas: new Map<string, number>() };
  t.is(saidWith('MESH0208', spec, ON, limits).length, 2);
  t.deepEqual(saidWith('MESH0208', `${spec}\n${counted}`, ON, limits), [
    'QuotaSpec/shop/q: the policy server has no limit for quota other',
  ]);
});

test('names that nothing has are MESH0101, at their place', (t) => {
  t.deepEqual(
    said(`rule shop/r {actions: [{handler: h, instances: [i.web]}]}
      handler shop/own {adapter: none, connection: {address: "a:1"}}
      handler shop/counters {compiledAdapter: memquota, params: {quotas: [{name: q, maxAmount: 1, validDuration: 1s}]}}
      instance shop/own {template: none}
      adapter shop/a {templates: [none]}`).filter((line) => line.startsWith('MESH0101')),
    [
      'MESH0101 adapter/shop/a spec.templates[0]: there is no template/shop/none',
      'MESH0101 handler/shop/counters spec.params.quotas[0].name: there is no instance/shop/q',
      'MESH0101 handler/shop/own spec.adapter: there is no adapter/shop/none',
      'MESH0101 instance/shop/own spec.template: there is no template/shop/none',
      'MESH0101 rule/shop/r spec.actions[0].handler: there is no handler/shop/h',
      'MESH0101 rule/shop/r spec.actions[0].instances[0]: there is no instance/web/i',
    ],
  );
});

test('a handler with an instance of a template that it does not take is MESH0273', (t) => {
  t.deepEqual(
    said(`rule shop/r {actions: [{handler: h, instances: [i]}]}
      handler shop/h {compiledAdapter: prometheus}
      instance shop/i {compiledTemplate: quota}`),
    [
      'MESH0273 rule/shop/r spec.actions[0].instances[0]: prometheus, the adapter of handler/shop/h, does not take instance/shop/i of the template quota',
    ],
  );
});

test('an expression with an attribute that nothing declares is MESH0272, and a rule that needs it MESH0279', (t) => {
  const [instance, rule] = said(`rule shop/r {actions: [{handler: h, instances: [i]}]}
    handler shop/h {compiledAdapter: denier}
    instance shop/i {compiledTemplate: listentry, params: {value: request.metod}}`);
  t.regex(
    instance ?? '',
    /^MESH0272 instance\/shop\/i spec\.params\.value: "request\.metod" cannot be evaluated: 1:1: unknown attribute request\.metod.*request\.method/,
  );
  t.is(
    rule,
    'MESH0279 rule/shop/r spec.actions[0].instances[0]: instance/shop/i cannot be used because of its own messages',
  );
});

test('parameters that act otherwise than they are written are MESH0274', (t) => {
  const quota = (more: string) => `{name: q, maxAmount: 1, validDuration: 1h, ${more}}`;
  t.deepEqual(
    messagesOf(
      `handler shop/a {compiledAdapter: redisquota, params: {redisServerUrl: 'redis:6379', quotas: [${quota('bucketDuration: 1s')}]}}
      handler shop/b {compiledAdapter: redisquota, params: {redisServerUrl: 'redis:6379', quotas: [${quota('bucketDuration: 1s, rateLimitAlgorithm: ROLLING_WINDOW')}]}}
      handler shop/c {compiledAdapter: listchecker, params: {providerUrl: 'http://lists.shop', refreshInterval: 1s}}`,
      'idle-rule-fields',
    ).map((line) => line.replace(/; remove it.*/, '')),
    [
      'MESH0274 handler/shop/a spec.params.quotas[0].bucketDuration: params.quotas[0].bucketDuration has no effect on a FIXED_WINDOW',
      'MESH0274 handler/shop/b spec.params.quotas[0].bucketDuration: params.quotas[0].bucketDuration is longer in effect: a window has at most 100 steps',
      'MESH0274 handler/shop/c spec.params.refreshInterval: params.refreshInterval acts as 5s: a list is fetched no more often',
    ],
  );
});

test('fields of public files without an effect are MESH0274, each with the reason', (t) => {
  t.deepEqual(
    said(`rule shop/r {actions: [{handler: log, instances: [entry]}, {handler: env, instances: [pods]}, {handler: r, instances: [i]}, {handler: q, instances: [c]}]}
      handler shop/log {compiledAdapter: stdio, params: {logStream: FILE, output_path: /tmp/log}}
      instance shop/entry {name: other, compiledTemplate: logentry, params: {monitored_resource_type: '"x"'}}
      handler shop/env {compiledAdapter: kubernetesenv, params: {kubeconfig_path: /x}}
      instance shop/pods {compiledTemplate: kubernetes, params: {source_uid: source.uid}, attributeBindings: {source.ip: $out.source_ip}}
      handler shop/r {compiledAdapter: rbac, params: {configStoreUrl: "k8s://"}}
      instance shop/i {compiledTemplate: authorization}
      handler shop/q {compiledAdapter: redisquota, params: {redisServerUrl: "redis:6379", connectionPoolSize: 5}}
      instance shop/c {compiledTemplate: quota}`),
    [
      'MESH0274 handler/shop/env spec.compiledAdapter: compiledAdapter kubernetesenv does nothing: proxies and control plane already set the attributes of workloads',
      'MESH0274 handler/shop/log spec.params.logStream: params.logStream acts as STDOUT: policy servers write no files',
      'MESH0274 handler/shop/log spec.params.outputPath: params.outputPath has no effect: policy servers write no files',
      'MESH0274 handler/shop/q spec.params.connectionPoolSize: params.connectionPoolSize is not needed: one connection sends commands without waiting for answers',
      'MESH0274 handler/shop/r spec.params.configStoreUrl: params.configStoreUrl is not read: the policies are the AuthorizationPolicies of the mesh',
      'MESH0274 instance/shop/entry spec.name: name is not used: the name of the instance is entry',
      'MESH0274 instance/shop/entry spec.params.monitored_resource_type: params.monitored_resource_type is read by no built-in adapter',
      'MESH0274 instance/shop/pods spec.compiledTemplate: compiledTemplate kubernetes does nothing: proxies and control plane already set the attributes of workloads',
    ],
  );
});

test('manifests that disagree are MESH0275, rules with nothing to do MESH0276, and unused objects MESH0277', (t) => {
  t.deepEqual(
    said(`attributemanifest shop/a {attributes: {request.tier: {valueType: STRING}}}
      attributemanifest shop/b {attributes: {request.tier: {valueType: INT64}}}
      rule shop/empty {}
      template shop/t {descriptor: ${ACCOUNTS}}`),
    [
      'MESH0275 attributemanifest/shop/b spec.attributes["request.tier"].valueType: request.tier is STRING in attributemanifest/shop/a, not INT64',
      'MESH0276 rule/shop/empty spec.actions: the rule has neither actions nor header operations',
      'MESH0277 template/shop/t: no instance or adapter names this template',
    ],
  );
});

test('a name in a namespace that grants nothing is MESH0278, with the command for its owner', (t) => {
  const objects = [
    ofCluster('rule evil/r {actions: [{handler: refuse.shop, instances: [i]}]}'),
    ofCluster('instance evil/i {compiledTemplate: checknothing}'),
  ];
  const found = analyze(analysisInputOf(tenantMesh(objects).context, ENFORCEMENT)).filter(
    ({ code }) => code === 'MESH0278',
  );
  t.deepEqual(
    found.map(({ field, message }) => `${field}: ${message.split(';')[0]}`),
    [
      'spec.actions[0].handler: namespace shop grants no access to objects of evil: run kubectl annotate --overwrite namespace shop policy.mesh.internal/bindings-from=evil',
    ],
  );
});

const WAITS = descriptorOf(
  'syntax = "proto3"; package waits; message Params { string region = 1; int64 retries = 2; }',
);

test('parameters and fields that do not fit the descriptors are MESH0280, and the rule cannot use them', (t) => {
  t.deepEqual(
    said(`rule shop/r {actions: [{handler: h, instances: [i]}, {handler: right, instances: [text, right]}]}
      handler shop/h {adapter: a, connection: {address: "a:1"}, params: {regoin: eu, retries: many}}
      handler shop/right {adapter: a, connection: {address: "a:1"}, params: {region: eu, retries: 3}}
      adapter shop/a {templates: [accounts], config: ${WAITS}}
      template shop/accounts {descriptor: ${ACCOUNTS}}
      instance shop/i {template: accounts, params: {kee: request.path}}
      instance shop/text {template: accounts, params: {key: request.size}}
      instance shop/right {template: accounts, params: {key: request.path}}`),
    [
      'MESH0280 handler/shop/h spec.params.regoin: "regoin" is not a field of waits.Params: did you mean region?',
      'MESH0280 handler/shop/h spec.params.retries: "many" is no value of the type int64: use a whole number from -9223372036854775808 to 9223372036854775807',
      'MESH0280 instance/shop/i spec.params.kee: "kee" is not a field of the template accounts: did you mean key?',
      'MESH0272 instance/shop/text spec.params.key: "request.size" has the type INT64, and the field needs STRING',
      'MESH0279 rule/shop/r spec.actions[0].handler: handler/shop/h cannot be used because of its own messages',
      'MESH0279 rule/shop/r spec.actions[0].instances[0]: instance/shop/i cannot be used because of its own messages',
      'MESH0279 rule/shop/r spec.actions[1].instances[0]: instance/shop/text cannot be used because of its own messages',
    ],
  );
});

test('an adapter of your own may take built-in templates, by their names', (t) => {
  t.deepEqual(
    said(`rule shop/r {actions: [{handler: h, instances: [entry, named]}]}
      handler shop/h {adapter: a, connection: {address: "a:1"}}
      adapter shop/a {templates: [logentry]}
      instance shop/entry {compiledTemplate: logentry, params: {severity: '"info"'}}
      instance shop/named {template: logentry, params: {severity: '"info"'}}`),
    [],
  );
});

test('operations that remove headers of responses, and names of actions that no operation reads, are MESH0274', (t) => {
  t.deepEqual(
    messagesOf(
      `rule shop/r {actions: [{handler: h, instances: [i], name: plan}, {handler: h, instances: [i]}], requestHeaderOperations: [{name: x-a, values: [request.path]}], responseHeaderOperations: [{name: x-b, values: [request.path]}, {name: x-b, operation: REMOVE}]}
      rule shop/read {actions: [{handler: h, instances: [i], name: plan}], requestHeaderOperations: [{name: x-a, values: [plan.output.a]}]}
      rule shop/plain {actions: [{handler: h, instances: [i]}], sampling: {random: {percentSampled: {numerator: 5}}}}`,
      'idle-rule-fields',
    ).map((line) => line.split(';')[0]),
    [
      'MESH0274 rule/shop/r spec.actions[0].name: actions[0].name is not used: no header operation reads the output',
      'MESH0274 rule/shop/r spec.responseHeaderOperations[1]: responseHeaderOperations[1] has no effect: rules add and replace headers of responses, and cannot remove those of the service',
    ],
  );
});

test('parameters for the reuse of answers, which policy servers do not reuse, are MESH0274 unless they are the defaults', (t) => {
  t.deepEqual(
    messagesOf(
      `handler shop/a {compiledAdapter: denier, params: {validDuration: 5s, validUseCount: 7}}
      handler shop/b {compiledAdapter: listchecker, params: {overrides: [a], cachingInterval: 1s}}
      handler shop/c {compiledAdapter: rbac, params: {cacheDuration: 10s}}
      handler shop/d {compiledAdapter: memquota, params: {minDeduplicationDuration: 2s, quotas: [{name: q, maxAmount: 1, validDuration: 1s}]}}
      handler shop/e {compiledAdapter: denier}`,
      'idle-rule-fields',
    ).map((line) => line.split(' ').slice(0, 3).join(' ')),
    [
      'MESH0274 handler/shop/a spec.params.validUseCount:',
      'MESH0274 handler/shop/b spec.params.cachingInterval:',
      'MESH0274 handler/shop/c spec.params.cacheDuration:',
      'MESH0274 handler/shop/d spec.params.minDeduplicationDuration:',
    ],
  );
});
