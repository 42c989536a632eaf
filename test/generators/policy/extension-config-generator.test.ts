import test from 'ava';
import type { PolicyMeshConfig } from '../../../src/config/mesh/mesh-config.js';
import type { MeshObject } from '../../../src/config/object.js';
import type { EncodedResource } from '../../../src/envoy/encoded-resource.js';
import type { Json } from '../../../src/envoy/message-json.js';
import { createPolicyPlugin } from '../../../src/generators/policy/policy-plugin.js';
import type { Proxy, ProxyMetadata } from '../../../src/model/proxy.js';
import { policyObjects } from '../../status/analysis/support.js';
import { buildPort, buildProxy, buildService } from '../context-builder.js';
import { SETTINGS } from '../default-settings.js';
import { at, CONFIG_ENCODER, ENCODER, toJson } from '../served-resources.js';
import { buildBinding, EMBEDDED, policyContext, SERVERS, targetsOf } from './policy-context.js';

const web = buildService({ ports: [buildPort(), buildPort({ name: 'tcp', number: 9000, protocol: 'tcp' })] });
const HTTP = 'policy|inbound|80|http|web.default.svc.cluster.local';
const TCP = 'policy|tcp|inbound|9000|tcp|web.default.svc.cluster.local';
const OUTBOUND_TCP = 'policy|tcp|outbound|9000||web.default.svc.cluster.local';
const ALL = [HTTP, TCP, OUTBOUND_TCP, 'policy|outbound', 'policy|forward'];
const BINDING = buildBinding('QuotaSpecBinding', { name: 'web' });

const newGenerator = () => createPolicyPlugin(ENCODER, CONFIG_ENCODER, SETTINGS).extensionConfigs;
const contextOf = (policy: Partial<PolicyMeshConfig>, objects: readonly MeshObject[] = [BINDING]) =>
  policyContext(policy, { services: [web], targets: targetsOf(web) }, objects);

function resourceOf(
  name: string,
  policy: Partial<PolicyMeshConfig>,
  { proxy = buildProxy(), objects = [BINDING] }: { proxy?: Proxy; objects?: readonly MeshObject[] } = {},
): EncodedResource | undefined {
  const context = contextOf(policy, objects);
  const generator = newGenerator();
  return generator.generate(context, generator.scope(context, proxy), name);
}

function configOf(...parameters: Parameters<typeof resourceOf>): Json | undefined {
  const resource = resourceOf(...parameters);
  return resource && at(toJson(resource), 'typedConfig');
}

/** Whether a check calls anybody. */
function isOn(...parameters: Parameters<typeof resourceOf>): boolean {
  const config = configOf(...parameters);
  return at(config, 'filterEnabled') === undefined && at(config, 'filterEnabledMetadata') === undefined;
}

/** What a check sends beside the request or connection. */
function sentBy(config: Json | undefined): Readonly<Record<string, Json | undefined>> {
  const values =
    at(config, 'grpcService.initialMetadata') ?? at(config, 'httpService.authorizationRequest.headersToAdd');
  return Object.fromEntries((values as Json[]).map((value) => [String(at(value, 'key')), at(value, 'value')]));
}

const retriesOf = (config: Json | undefined): Json | undefined =>
  at(config, 'grpcService.retryPolicy.numRetries') ?? at(config, 'httpService.retryPolicy.numRetries');

test('checks of the embedded server are on where a binding names the service', (t) => {
  for (const name of [HTTP, TCP]) {
    t.true(isOn(name, EMBEDDED));
    t.false(isOn(name, EMBEDDED, { objects: [] }));
    t.false(isOn(name, EMBEDDED, { objects: [buildBinding('QuotaSpecBinding', { name: 'other' })] }));
    t.true(isOn(name, EMBEDDED, { objects: [buildBinding('HTTPAPISpecBinding', { service: '*' })] }));
  }
});

test('checks of the embedded server are on where a rule decides about requests', (t) => {
  const rule = (namespace: string, template: string) =>
    policyObjects(`rule ${namespace}/r {actions: [{handler: h, instances: [i]}]}
      instance ${namespace}/i {compiledTemplate: ${template}}`);
  for (const name of [HTTP, TCP]) {
    t.true(isOn(name, EMBEDDED, { objects: rule('default', 'checknothing') }));
    t.true(isOn(name, EMBEDDED, { objects: rule('mesh-system', 'quota') }));
    t.false(isOn(name, EMBEDDED, { objects: rule('default', 'logentry') }));
    t.false(isOn(name, EMBEDDED, { objects: rule('other', 'checknothing') }));
  }
});

test('checks of other servers are on for every service', (t) => {
  for (const name of [HTTP, TCP]) t.true(isOn(name, SERVERS, { objects: [] }));
});

test('checks of a service whose QuotaSpecs are all fast are off, and stay on for its plans', (t) => {
  const quotaShapes = new Map([['all', { dimensions: [], hasKeyList: false }]]);
  const fast = `QuotaSpec default/fast {enforcement: fast, rules: [{quotas: [{quota: all}]}]}
    QuotaSpecBinding default/fast {services: [{name: web}], quotaSpecs: [{name: fast}]}`;
  const plan = 'Plan default/gold {services: [{name: web}], limits: [{name: all, requests: 1, per: day}]}';
  const isOnWith = (policy: PolicyMeshConfig, text: string): boolean => {
    const parts = { services: [web], targets: targetsOf(web), quotaShapes };
    const context = policyContext(policy, parts, policyObjects(text));
    const generator = newGenerator();
    const resource = generator.generate(context, generator.scope(context, buildProxy()), HTTP);
    const config = resource && at(toJson(resource), 'typedConfig');
    return at(config, 'filterEnabled') === undefined && at(config, 'filterEnabledMetadata') === undefined;
  };
  for (const policy of [EMBEDDED, SERVERS]) {
    t.false(isOnWith(policy, fast));
    t.true(isOnWith(policy, `${fast}\n${plan}`));
    t.true(isOnWith(policy, plan));
  }
});

test('inbound checks are off with disablePolicyChecks, outbound ones without enableClientSidePolicyCheck', (t) => {
  for (const name of [HTTP, TCP]) t.false(isOn(name, { ...SERVERS, disablePolicyChecks: true }));
  for (const name of ['policy|outbound', OUTBOUND_TCP]) {
    t.false(isOn(name, SERVERS));
    t.true(isOn(name, { ...SERVERS, enableClientSidePolicyCheck: true }));
  }
});

test('node metadata enables and disables checks, for any mesh config', (t) => {
  const with_ = (policy: ProxyMetadata['policy']) => ({
    proxy: buildProxy({}, policy === undefined ? {} : { policy }),
  });
  for (const name of [HTTP, TCP, OUTBOUND_TCP, 'policy|outbound']) {
    t.true(isOn(name, { ...SERVERS, disablePolicyChecks: true }, with_({ check: 'enable' })));
    t.false(isOn(name, { ...SERVERS, enableClientSidePolicyCheck: true }, with_({ check: 'disable' })));
  }
  t.is(at(configOf(HTTP, SERVERS, with_({ check: 'allow-on-error' })), 'failureModeAllow'), true);
  t.not(at(configOf(HTTP, SERVERS, with_({ check: 'enable' })), 'failureModeAllow'), true);
  const retries = { checkRetries: 4, checkBaseRetryWaitMs: 30, checkMaxRetryWaitMs: 2000 };
  for (const policyCheckProtocol of ['HTTP', 'GRPC'] as const) {
    t.is(retriesOf(configOf(HTTP, { ...SERVERS, policyCheckProtocol }, with_(retries))), 4);
  }
  t.is(retriesOf(configOf(TCP, SERVERS, with_(retries))), 4);
});

test('a check over HTTP/1.1 sends the service, the client configuration and the facts of the request', (t) => {
  const config = configOf(HTTP, SERVERS);
  t.is(at(config, 'httpService.serverUri.cluster'), 'policy_check_server');
  t.is(at(config, 'grpcService'), undefined);
  const inbound = sentBy(config);
  t.is(inbound['x-mesh-check-service'], web.hostname);
  t.true(Buffer.from(String(inbound['x-mesh-check-config']), 'base64').includes('orchestrator://client.default'));
  t.is(inbound['x-mesh-check-source-uri'], '%DOWNSTREAM_PEER_URI_SAN%');
  t.false('x-mesh-check-cluster' in inbound);
  const outbound = sentBy(configOf('policy|outbound', { ...SERVERS, enableClientSidePolicyCheck: true }));
  t.false('x-mesh-check-service' in outbound);
  t.is(outbound['x-mesh-check-cluster'], '%UPSTREAM_CLUSTER_RAW%');
});

test('all headers of a check over HTTP/1.1 have names that a caller cannot use', (t) => {
  const config = configOf('policy|outbound', { ...SERVERS, enableClientSidePolicyCheck: true });
  t.deepEqual(at(config, 'disallowedHeaders.patterns.0'), { prefix: 'x-mesh-check-' });
  for (const name of Object.keys(sentBy(config))) t.regex(name, /^x-mesh-check-/);
});

test('a check over gRPC sends the proxy, the service and the client configuration', (t) => {
  const overGrpc = { ...SERVERS, policyCheckProtocol: 'GRPC' } as const;
  const http = sentBy(configOf(HTTP, overGrpc));
  t.deepEqual(Object.keys(http), ['x-mesh-client-config', 'x-mesh-service', 'x-mesh-attributes']);
  t.is(http['x-mesh-service'], web.hostname);
  t.true(Buffer.from(String(http['x-mesh-client-config']), 'base64').includes('orchestrator://client.default'));
  const tcp = sentBy(configOf(TCP, SERVERS));
  t.is(tcp['x-mesh-connection-id'], '%STREAM_ID%');
  t.is(tcp['x-mesh-service'], web.hostname);
  const outbound = sentBy(configOf('policy|outbound', { ...overGrpc, enableClientSidePolicyCheck: true }));
  t.deepEqual(Object.keys(outbound), ['x-mesh-client-config', 'x-mesh-attributes']);
});

test('the policy servers themselves are never checked, for each check would have to be', (t) => {
  for (const mixerCheckServer of [`${web.hostname}:9000`, 'web.default:9000', 'web.default.svc:9000']) {
    t.false(isOn(HTTP, { ...SERVERS, mixerCheckServer }), mixerCheckServer);
    t.false(isOn(TCP, { ...SERVERS, mixerCheckServer }), mixerCheckServer);
  }
  t.false(isOn(TCP, { ...SERVERS, mixerReportServer: `${web.hostname}:9000` }));
});

test('an inactive plugin, and a proxy without such a service have no filters', (t) => {
  for (const name of ALL) t.is(resourceOf(name, {}), undefined, name);
  t.is(resourceOf('policy|inbound|81|http|web.default.svc.cluster.local', EMBEDDED), undefined);
});

test('a check of connections to a service that does not exist is there, and lets them pass', (t) => {
  for (const name of [
    'policy|tcp|outbound|81||gone.default',
    'policy|tcp|outbound|81||web.default.svc.cluster.local',
  ]) {
    t.true(resourceOf(name, EMBEDDED) !== undefined, name);
    t.false(isOn(name, { ...EMBEDDED, enableClientSidePolicyCheck: true }));
  }
});

test('without a server that checks only forwarding is left', (t) => {
  const policy = { ...EMBEDDED, mixerCheckServer: '' };
  t.deepEqual(
    ALL.filter((name) => resourceOf(name, policy) !== undefined),
    ['policy|forward'],
  );
});

const FACTS: readonly (readonly [string, Partial<Proxy>, Partial<ProxyMetadata>])[] = [
  ['the id', { id: 'sidecar~10.0.0.9~other.default~default.svc.cluster.local' }, {}],
  ['the first address', { ipAddresses: ['10.0.0.10'] }, {}],
  ['the namespace', { configNamespace: 'other' }, {}],
  ['the mesh', {}, { meshId: 'other' }],
  ['the version', {}, { meshVersion: '2.0' }],
  ['what it overrides', {}, { policy: { check: 'allow-on-error' } }],
];

for (const [what, fields, metadata] of FACTS) {
  test(`proxies with different ${what} have different keys and configurations`, (t) => {
    const generator = newGenerator();
    const context = contextOf({ ...EMBEDDED, enableClientSidePolicyCheck: true });
    const scopes = [buildProxy(), buildProxy(fields, metadata)].map((proxy) => generator.scope(context, proxy));
    t.not(scopes[0]?.key, scopes[1]?.key);
    const versions = scopes.map((scope) => ALL.map((name) => generator.generate(context, scope, name)?.version).join());
    t.not(versions[0], versions[1]);
  });
}

test('keys contain no facts that filters do not use', (t) => {
  const generator = newGenerator();
  const context = contextOf(EMBEDDED);
  const key = (proxy: Proxy) => generator.scope(context, proxy).key;
  const other = buildProxy(
    { ipAddresses: ['10.0.0.9', 'fd00::9'], locality: 'a/b' },
    { labels: { a: 'b' }, http10: true },
  );
  t.is(key(buildProxy()), key(other));
});

test('another port of the workload is another configuration, under the same name', (t) => {
  const generator = newGenerator();
  const [first, second] = [1000, 2000].map((offset) => {
    const targets = web.ports.map((port) => ({ service: web, port, targetPort: port.number + offset }));
    const context = policyContext(SERVERS, { services: [web], targets });
    const scope = generator.scope(context, buildProxy());
    return { key: scope.key, version: generator.generate(context, scope, HTTP)?.version };
  });
  t.not(first?.key, second?.key);
  t.not(first?.version, second?.version);
});

test('a binding changes only the checks of its service, and its removal restores them', (t) => {
  const generator = newGenerator();
  const proxy = buildProxy();
  const [without, bound] = [contextOf(EMBEDDED, []), contextOf(EMBEDDED)];
  // The snapshots of one mesh share its config.
  const contexts = [without, { ...bound, mesh: without.mesh }, without];
  const versions = contexts.map((context) => {
    const scope = generator.scope(context, proxy);
    return ALL.map((name) => generator.generate(context, scope, name)?.version);
  });
  t.deepEqual(versions[0], versions[2]);
  const changed = ALL.filter((_name, index) => versions[0]?.[index] !== versions[1]?.[index]);
  t.deepEqual(changed, [HTTP, TCP]);
});

test('a filter is encoded once for as long as nothing in it changes', (t) => {
  const generator = newGenerator();
  const context = contextOf(EMBEDDED);
  const proxy = buildProxy();
  const twice = [context, { ...contextOf(EMBEDDED), mesh: context.mesh }].map((it) =>
    ALL.map((name) => generator.generate(it, generator.scope(it, proxy), name)),
  );
  t.true(twice[0]?.every((resource, index) => resource !== undefined && resource === twice[1]?.[index]));
});

test('an inbound check sends the labels of its workload that a binding names, and an outbound check sends none', (t) => {
  const labelled = buildBinding('QuotaSpecBinding', { name: 'web', labels: { version: 'v1' } });
  const proxy = buildProxy({}, { labels: { version: 'v1-of-proxy', tier: 'gold-of-proxy' } });
  const policy = { ...SERVERS, enableClientSidePolicyCheck: true };
  const clientConfigOf = (name: string, objects: readonly MeshObject[]): string => {
    const values = Object.values(sentBy(configOf(name, policy, { proxy, objects })));
    return values.map((value) => Buffer.from(String(value), 'base64').toString('latin1')).join();
  };
  for (const name of [HTTP, TCP]) {
    t.true(clientConfigOf(name, [labelled]).includes('v1-of-proxy'), name);
    t.false(clientConfigOf(name, [labelled]).includes('gold-of-proxy'), name);
    t.false(clientConfigOf(name, [BINDING]).includes('v1-of-proxy'), name);
  }
  for (const name of ['policy|outbound', OUTBOUND_TCP])
    t.false(clientConfigOf(name, [labelled]).includes('of-proxy'), name);
});

test("checks of a service with a fail policy use that policy instead of the proxy's", (t) => {
  const own = buildService({
    ports: web.ports,
    failPolicy: { policy: 'FAIL_CLOSE', maxRetry: 7, baseRetryWaitMs: 30, maxRetryWaitMs: 400 },
  });
  const policy = { ...SERVERS, enableClientSidePolicyCheck: true, policyCheckFailOpen: true };
  const generator = newGenerator();
  const proxy = buildProxy({}, { policy: { check: 'allow-on-error', checkRetries: 1 } });
  const context = policyContext(policy, { services: [own], targets: targetsOf(own) }, [BINDING]);
  const read = (name: string) => {
    const resource = generator.generate(context, generator.scope(context, proxy), name);
    const config = resource && at(toJson(resource), 'typedConfig');
    return [at(config, 'failureModeAllow') === true, retriesOf(config)];
  };
  for (const name of [HTTP, TCP, OUTBOUND_TCP, 'policy|outbound|1']) t.deepEqual(read(name), [false, 7], name);
  for (const name of ['policy|outbound', 'policy|outbound|0']) t.deepEqual(read(name), [true, 1], name);
  t.is(generator.generate(context, generator.scope(context, proxy), 'policy|outbound|7'), undefined);
});
