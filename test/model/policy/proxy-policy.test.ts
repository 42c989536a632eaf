import test from 'ava';
import type { PolicyMeshConfig } from '../../../src/config/mesh/mesh-config.js';
import { parseNode } from '../../../src/model/parse-node.js';
import { isServiceChecked, type ProxyPolicy, proxyPolicyOf } from '../../../src/model/policy/proxy-policy.js';
import type { Proxy } from '../../../src/model/proxy.js';
import { EVERYTHING_ON, meshWith } from './mesh-with.js';

function proxyWith(metadata: Readonly<Record<string, unknown>> = {}, type = 'sidecar'): Proxy {
  const locality = { region: '', zone: '', subZone: '' };
  return parseNode({
    id: `${type}~10.0.0.1~web-0.shop~shop.svc.cluster.local`,
    metadata,
    locality,
    userAgentVersion: '',
  });
}

function policyOf(mesh: Partial<PolicyMeshConfig>, proxy: Proxy = proxyWith()): ProxyPolicy {
  const policy = proxyPolicyOf(meshWith(mesh), proxy);
  if (policy === undefined) throw new Error('the plugin is inactive');
  return policy;
}

test('without mixerCheckServer and mixerReportServer the plugin is inactive', (t) => {
  t.is(
    proxyPolicyOf(meshWith({ ...EVERYTHING_ON, mixerCheckServer: '', mixerReportServer: '' }), proxyWith()),
    undefined,
  );
  t.not(proxyPolicyOf(meshWith({ mixerCheckServer: 'embedded' }), proxyWith()), undefined);
  t.not(proxyPolicyOf(meshWith({ mixerReportServer: 'embedded' }), proxyWith()), undefined);
});

const CHECK = 'policy.mesh.internal/check';
const CHECKS: readonly (readonly [string, Partial<PolicyMeshConfig>, Proxy, boolean, boolean])[] = [
  ['by default nothing is checked', { mixerCheckServer: 'embedded' }, proxyWith(), false, false],
  [
    'disablePolicyChecks false checks inbound alone',
    { mixerCheckServer: 'embedded', disablePolicyChecks: false },
    proxyWith(),
    true,
    false,
  ],
  [
    'enableClientSidePolicyCheck checks outbound alone',
    { mixerCheckServer: 'embedded', enableClientSidePolicyCheck: true },
    proxyWith(),
    false,
    true,
  ],
  ['routers check outbound always', { mixerCheckServer: 'embedded' }, proxyWith({}, 'router'), false, true],
  [
    'metadata check enable checks both sides',
    { mixerCheckServer: 'embedded' },
    proxyWith({ [CHECK]: 'enable' }),
    true,
    true,
  ],
  [
    'metadata check allow-on-error checks both sides',
    { mixerCheckServer: 'embedded' },
    proxyWith({ [CHECK]: 'allow-on-error' }),
    true,
    true,
  ],
  ['metadata check disable checks neither side', EVERYTHING_ON, proxyWith({ [CHECK]: 'disable' }), false, false],
  [
    'without a server that checks nothing is checked, whatever metadata says',
    { ...EVERYTHING_ON, mixerCheckServer: '' },
    proxyWith({ [CHECK]: 'enable' }),
    false,
    false,
  ],
];

for (const [rule, mesh, proxy, inbound, outbound] of CHECKS) {
  test(rule, (t) => {
    const { inboundChecks, outboundChecks } = policyOf(mesh, proxy);
    t.deepEqual({ inboundChecks, outboundChecks }, { inboundChecks: inbound, outboundChecks: outbound });
  });
}

test('HTTP is reported when a server takes reports and disableMixerHttpReports is false', (t) => {
  t.true(policyOf({ mixerReportServer: 'embedded', disableMixerHttpReports: false }).httpReports);
  t.false(policyOf({ mixerReportServer: 'embedded', disableMixerHttpReports: true }).httpReports);
  t.false(policyOf({ mixerCheckServer: 'embedded', disableMixerHttpReports: false }).httpReports);
});

test('TCP is reported when a server takes reports', (t) => {
  t.true(policyOf({ mixerReportServer: 'embedded', disableMixerHttpReports: true }).tcpReports);
  t.false(policyOf({ mixerCheckServer: 'embedded' }).tcpReports);
});

const FAIL_POLICIES = [
  ['policyCheckFailOpen false is FAIL_CLOSE', false, {}, 'FAIL_CLOSE'],
  ['policyCheckFailOpen true is FAIL_OPEN', true, {}, 'FAIL_OPEN'],
  ['metadata check enable is FAIL_CLOSE in any mesh', true, { [CHECK]: 'enable' }, 'FAIL_CLOSE'],
  ['metadata check allow-on-error is FAIL_OPEN in any mesh', false, { [CHECK]: 'allow-on-error' }, 'FAIL_OPEN'],
  ['metadata check disable is FAIL_OPEN in any mesh', false, { [CHECK]: 'disable' }, 'FAIL_OPEN'],
] as const;

for (const [rule, policyCheckFailOpen, metadata, expected] of FAIL_POLICIES) {
  test(rule, (t) => {
    const { transport } = policyOf({ mixerCheckServer: 'embedded', policyCheckFailOpen }, proxyWith(metadata));
    t.is(transport.networkFailPolicy.policy, expected);
  });
}

test('calls are not repeated by default; waits would be 80 ms to 1 s', (t) => {
  t.deepEqual(policyOf({ mixerCheckServer: 'embedded' }).transport.networkFailPolicy, {
    policy: 'FAIL_CLOSE',
    maxRetry: 0,
    baseRetryWait: '80ms',
    maxRetryWait: '1s',
  });
});

test('metadata overrides retries and waits', (t) => {
  const metadata = {
    'policy.mesh.internal/checkRetries': 5,
    'policy.mesh.internal/checkBaseRetryWaitTime': '20ms',
    'policy.mesh.internal/checkMaxRetryWaitTime': '1m30s',
  };
  const { networkFailPolicy } = policyOf({ mixerCheckServer: 'embedded' }, proxyWith(metadata)).transport;
  t.is(networkFailPolicy.maxRetry, 5);
  t.is(networkFailPolicy.baseRetryWait, '20ms');
  t.is(networkFailPolicy.maxRetryWait, '90s');
});

test('a first wait beyond the longest one raises that', (t) => {
  const metadata = { 'policy.mesh.internal/checkBaseRetryWaitTime': '5s' };
  const { networkFailPolicy } = policyOf({ mixerCheckServer: 'embedded' }, proxyWith(metadata)).transport;
  t.is(networkFailPolicy.maxRetryWait, '5s');
});

test('statsUpdateInterval and reportInterval come from the mesh config', (t) => {
  const { transport, reportInterval } = policyOf({
    mixerCheckServer: 'embedded',
    statsUpdateIntervalMs: 2500,
    reportIntervalMs: 30_000,
  });
  t.is(transport.statsUpdateInterval, '2500ms');
  t.is(reportInterval, '30s');
});

test('batch bounds and clusters come from the mesh config', (t) => {
  const { transport } = policyOf({
    mixerCheckServer: 'p.x:1',
    mixerReportServer: 'embedded',
    reportBatchMaxEntries: 7,
    reportBatchMaxTimeMs: 2500,
  });
  t.is(transport.reportBatchMaxEntries, 7);
  t.is(transport.reportBatchMaxTime, '2500ms');
  t.is(transport.checkCluster, 'outbound|1||p.x');
  t.is(transport.reportCluster, 'policy_server');
});

test('proxies with the same overrides have equal keys, and every other fact changes the key', (t) => {
  const locality = { region: '', zone: '', subZone: '' };
  const id = 'sidecar~10.9.9.9~other.ns~ns.svc.cluster.local';
  const other = parseNode({ id, metadata: {}, locality, userAgentVersion: '9' });
  t.is(policyOf(EVERYTHING_ON).key, policyOf(EVERYTHING_ON, other).key);
  const keys = [
    policyOf(EVERYTHING_ON),
    policyOf({ ...EVERYTHING_ON, mixerCheckServer: 'p.x:1' }),
    policyOf({ ...EVERYTHING_ON, mixerReportServer: 'p.x:1' }),
    policyOf({ ...EVERYTHING_ON, disablePolicyChecks: true }),
    policyOf({ ...EVERYTHING_ON, enableClientSidePolicyCheck: false }),
    policyOf({ ...EVERYTHING_ON, disableMixerHttpReports: true }),
    policyOf({ ...EVERYTHING_ON, policyCheckFailOpen: true }),
    policyOf({ ...EVERYTHING_ON, sidecarToTelemetrySessionAffinity: true }),
    policyOf({ ...EVERYTHING_ON, reportBatchMaxEntries: 1 }),
    policyOf({ ...EVERYTHING_ON, reportBatchMaxTimeMs: 1 }),
    policyOf({ ...EVERYTHING_ON, reportIntervalMs: 2000 }),
    policyOf({ ...EVERYTHING_ON, statsUpdateIntervalMs: 2000 }),
    policyOf(EVERYTHING_ON, proxyWith({ [CHECK]: 'disable' })),
    policyOf(EVERYTHING_ON, proxyWith({ 'policy.mesh.internal/checkRetries': '1' })),
  ].map(({ key }) => key);
  t.is(new Set(keys).size, keys.length);
});

const SPEC = { rules: [{ match: [], quotas: [{ quota: 'q', charge: 1 }] }] };
const API = { patterns: [{ httpMethod: 'GET', uriTemplate: '/' }], apiKeys: [] };

test('the embedded server is asked only about services that a spec is bound to', (t) => {
  const policy = policyOf(EVERYTHING_ON);
  for (const direction of ['inbound', 'outbound'] as const) {
    t.false(isServiceChecked(policy, direction, { quotaSpec: [], httpApiSpec: [] }));
    t.true(isServiceChecked(policy, direction, { quotaSpec: [SPEC], httpApiSpec: [] }));
    t.true(isServiceChecked(policy, direction, { quotaSpec: [], httpApiSpec: [API] }));
  }
});

test('a server at an address is asked about every service, on the sides that are checked', (t) => {
  const policy = policyOf({ mixerCheckServer: 'p.x:1', disablePolicyChecks: false });
  t.true(isServiceChecked(policy, 'inbound', { quotaSpec: [], httpApiSpec: [] }));
  t.false(isServiceChecked(policy, 'outbound', { quotaSpec: [SPEC], httpApiSpec: [] }));
});
