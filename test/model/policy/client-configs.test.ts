import test from 'ava';
import type { PolicyMeshConfig } from '../../../src/config/mesh/mesh-config.js';
import { validateHttpClientConfig, validateTcpClientConfig } from '../../../src/config/policy/client-config-rules.js';
import { parseNode } from '../../../src/model/parse-node.js';
import { hasHttpPolicy, httpClientConfigOf, tcpClientConfigOf } from '../../../src/model/policy/client-configs.js';
import { filterAttributesOf } from '../../../src/model/policy/filter-attributes.js';
import { resolvePolicyBindings } from '../../../src/model/policy/policy-bindings.js';
import { type ProxyPolicy, proxyPolicyOf } from '../../../src/model/policy/proxy-policy.js';
import { serviceConfigOf } from '../../../src/model/policy/service-config.js';
import type { Proxy } from '../../../src/model/proxy.js';
import { readObject } from '../../config/support/read-yaml.js';
import { buildService } from '../../generators/context-builder.js';
import { contextOf } from '../mesh-objects.js';
import { EVERYTHING_ON, meshWith } from './mesh-with.js';

const LOCALITY = { region: '', zone: '', subZone: '' };

function nodeOf(type: string, metadata: Readonly<Record<string, unknown>> = {}, address = '10.0.0.1'): Proxy {
  const id = `${type}~${address}~web-0.shop~shop.svc.cluster.local`;
  return parseNode({ id, metadata, locality: LOCALITY, userAgentVersion: '1.40.0' });
}

const SIDECAR = nodeOf('sidecar');
const ROUTER = nodeOf('router');
const WEB = buildService({ name: 'web', namespace: 'shop' });

function policyOf(mesh: Partial<PolicyMeshConfig> = EVERYTHING_ON, proxy: Proxy = SIDECAR): ProxyPolicy {
  return proxyPolicyOf(meshWith(mesh), proxy) as ProxyPolicy;
}

const BINDINGS = resolvePolicyBindings(
  contextOf(
    [
      '{kind: QuotaSpec, metadata: {name: b, namespace: shop}, spec: {rules: [{quotas: [{quota: second}]}]}}',
      '{kind: QuotaSpec, metadata: {name: a, namespace: shop}, spec: {rules: [{quotas: [{quota: first, charge: 2}]}]}}',
      '{kind: QuotaSpecBinding, metadata: {name: q, namespace: shop}, spec: {services: [{name: web}], quotaSpecs: [{name: b}, {name: a}]}}',
      '{kind: HTTPAPISpec, metadata: {name: pets, namespace: shop}, spec: {patterns: [{httpMethod: GET, uriTemplate: /pets}]}}',
      '{kind: HTTPAPISpecBinding, metadata: {name: h, namespace: shop}, spec: {services: [{name: web}], apiSpecs: [{name: pets}]}}',
    ].map((text) => readObject(text.replace('{', '{apiVersion: config.mesh.internal/v1alpha2, '))),
  ),
);
const NONE = resolvePolicyBindings(contextOf([]));

const UID = 'orchestrator://web-0.shop';

test('mixerAttributes: outbound attributes name the proxy, its workload and its version', (t) => {
  t.deepEqual(filterAttributesOf(SIDECAR, 'outbound').attributes, {
    'source.uid': { stringValue: UID },
    'source.namespace': { stringValue: 'shop' },
    'context.reporter.uid': { stringValue: UID },
    'context.reporter.kind': { stringValue: 'outbound' },
    'context.proxy_version': { stringValue: '1.40.0' },
  });
  const ofMesh = filterAttributesOf(nodeOf('sidecar', { MESH_VERSION: '2.1' }), 'outbound').attributes;
  t.deepEqual(ofMesh['context.proxy_version'], { stringValue: '2.1' });
});

test('mixerAttributes: inbound attributes say which workload serves, with its address in bytes and its port', (t) => {
  t.deepEqual(filterAttributesOf(nodeOf('sidecar', { MESH_ID: 'east' }), 'inbound', 8080).attributes, {
    'destination.uid': { stringValue: UID },
    'destination.namespace': { stringValue: 'shop' },
    'destination.ip': { bytesValue: Buffer.from([10, 0, 0, 1]).toString('base64') },
    'destination.port': { int64Value: 8080 },
    'destination.mesh.id': { stringValue: 'east' },
    'context.reporter.uid': { stringValue: UID },
    'context.reporter.kind': { stringValue: 'inbound' },
  });
});

test('an IPv6 address is 16 bytes, and absent fields of a node are left out', (t) => {
  const { attributes } = filterAttributesOf(nodeOf('sidecar', {}, 'fd00::1'), 'inbound');
  t.is(Buffer.from(attributes['destination.ip']?.bytesValue ?? '', 'base64').length, 16);
  t.false('destination.port' in attributes);
  t.false('destination.mesh.id' in attributes);
});

test('defaultDestinationService: the default service stands for all that have no configuration', (t) => {
  const config = httpClientConfigOf(policyOf(), SIDECAR, 'inbound');
  t.is(config.defaultDestinationService, 'default');
  t.deepEqual(Object.keys(config.serviceConfigs), ['default']);
});

const DEFAULTS = [
  ['checks and reports on', EVERYTHING_ON, false, false],
  ['disablePolicyChecks', { ...EVERYTHING_ON, disablePolicyChecks: true }, true, false],
  ['disableMixerHttpReports', { ...EVERYTHING_ON, disableMixerHttpReports: true }, false, true],
  ['no report server', { ...EVERYTHING_ON, mixerReportServer: '' }, false, true],
  ['no check server', { ...EVERYTHING_ON, mixerCheckServer: '' }, true, false],
] as const;

for (const [title, mesh, disableCheckCalls, disableReportCalls] of DEFAULTS) {
  test(`calls of inbound HTTP with ${title}`, (t) => {
    const { serviceConfigs } = httpClientConfigOf(policyOf(mesh), SIDECAR, 'inbound');
    t.like(serviceConfigs['default'], { disableCheckCalls, disableReportCalls });
  });
}

test('the HTTP filter is needed for checks or for reports', (t) => {
  const quiet = { ...EVERYTHING_ON, disableMixerHttpReports: true, enableClientSidePolicyCheck: false };
  t.true(hasHttpPolicy(policyOf(quiet), 'inbound'));
  t.false(hasHttpPolicy(policyOf(quiet), 'outbound'));
  t.true(hasHttpPolicy(policyOf({ ...quiet, disableMixerHttpReports: false }), 'outbound'));
});

test('forwardAttributes: outbound clients forward their identity, inbound clients forward nothing', (t) => {
  t.deepEqual(httpClientConfigOf(policyOf(), SIDECAR, 'outbound').forwardAttributes, {
    attributes: {
      'source.uid': { stringValue: UID },
      'source.namespace': { stringValue: 'shop' },
      'source.ip': { bytesValue: Buffer.from([10, 0, 0, 1]).toString('base64') },
    },
  });
  t.false('forwardAttributes' in httpClientConfigOf(policyOf(), SIDECAR, 'inbound'));
});

test('ignoreForwardedAttributes: gateways ignore forwarded attributes, sidecars in the mesh do not', (t) => {
  t.true(httpClientConfigOf(policyOf(EVERYTHING_ON, ROUTER), ROUTER, 'outbound').ignoreForwardedAttributes);
  t.false(httpClientConfigOf(policyOf(), SIDECAR, 'inbound').ignoreForwardedAttributes);
});

test('attributesForMixerProxy: the transport names the proxy to the proxy of the policy server', (t) => {
  const { transport } = httpClientConfigOf(policyOf(), SIDECAR, 'inbound');
  t.deepEqual(transport?.attributesForMixerProxy, {
    attributes: {
      'source.uid': { stringValue: UID },
      'source.ip': { bytesValue: Buffer.from([10, 0, 0, 1]).toString('base64') },
    },
  });
});

test("a service's configuration has its attributes to check and to forward, and all specs bound to it by key", (t) => {
  const config = serviceConfigOf(WEB, BINDINGS);
  const attributes = {
    'destination.service.host': { stringValue: 'web.shop.svc.cluster.local' },
    'destination.service.name': { stringValue: 'web' },
    'destination.service.namespace': { stringValue: 'shop' },
    'destination.service.uid': { stringValue: 'mesh://shop/services/web' },
  };
  t.deepEqual(config.mixerAttributes, { attributes });
  t.deepEqual(config.forwardAttributes, { attributes });
  t.deepEqual(
    config.quotaSpec.flatMap(({ rules }) => rules.flatMap(({ quotas }) => quotas)),
    [
      { quota: 'first', charge: 2 },
      { quota: 'second', charge: 1 },
    ],
  );
  t.deepEqual(
    config.httpApiSpec.map(({ patterns }) => patterns[0]?.uriTemplate),
    ['/pets'],
  );
});

test('a TCP client has the attributes of proxy and service, and the rules of all specs in one', (t) => {
  const config = tcpClientConfigOf(policyOf(), SIDECAR, 'inbound', WEB, BINDINGS, 8080);
  t.like(config.mixerAttributes?.attributes, {
    'destination.uid': { stringValue: UID },
    'destination.port': { int64Value: 8080 },
    'destination.service.host': { stringValue: 'web.shop.svc.cluster.local' },
  });
  t.deepEqual(
    config.connectionQuotaSpec?.rules.map(({ quotas }) => quotas[0]?.quota),
    ['first', 'second'],
  );
  t.like(config, { disableCheckCalls: false, disableReportCalls: false, reportInterval: '10s' });
});

test('a TCP client of a service without specs is not checked by the embedded server, and has no quotas', (t) => {
  const config = tcpClientConfigOf(policyOf(), SIDECAR, 'inbound', WEB, NONE);
  t.true(config.disableCheckCalls);
  t.false('connectionQuotaSpec' in config);
  const external = { ...EVERYTHING_ON, mixerCheckServer: 'p.x:1' };
  t.false(tcpClientConfigOf(policyOf(external), SIDECAR, 'inbound', WEB, NONE).disableCheckCalls);
});

test('quotas of outbound connections are there only with checks, those of inbound connections always', (t) => {
  const serverSide = policyOf({ ...EVERYTHING_ON, enableClientSidePolicyCheck: false });
  t.false('connectionQuotaSpec' in tcpClientConfigOf(serverSide, SIDECAR, 'outbound', WEB, BINDINGS));
  t.true('connectionQuotaSpec' in tcpClientConfigOf(policyOf(), SIDECAR, 'outbound', WEB, BINDINGS));
  const reportsOnly = policyOf({ ...EVERYTHING_ON, disablePolicyChecks: true });
  const config = tcpClientConfigOf(reportsOnly, SIDECAR, 'inbound', WEB, BINDINGS);
  t.true(config.disableCheckCalls);
  t.true('connectionQuotaSpec' in config);
});

test('TCP is not reported without a server that takes reports', (t) => {
  const policy = policyOf({ ...EVERYTHING_ON, mixerReportServer: '' });
  t.true(tcpClientConfigOf(policy, SIDECAR, 'inbound', WEB, BINDINGS).disableReportCalls);
});

test('the configurations are valid', (t) => {
  for (const direction of ['inbound', 'outbound'] as const) {
    t.deepEqual(validateHttpClientConfig(httpClientConfigOf(policyOf(), SIDECAR, direction, 80)), []);
    t.deepEqual(validateTcpClientConfig(tcpClientConfigOf(policyOf(), SIDECAR, direction, WEB, BINDINGS, 80)), []);
  }
});
