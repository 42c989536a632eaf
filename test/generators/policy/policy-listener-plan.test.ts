import test from 'ava';
import type { PolicyMeshConfig } from '../../../src/config/mesh/mesh-config.js';
import type { ChainDescription } from '../../../src/generators/plugins/listener-plan.js';
import { createPolicyPlugin } from '../../../src/generators/policy/policy-plugin.js';
import type { ProxyMetadata } from '../../../src/model/proxy.js';
import type { Service } from '../../../src/model/service.js';
import { buildProxy, buildService } from '../context-builder.js';
import { SETTINGS } from '../default-settings.js';
import { CONFIG_ENCODER, ENCODER } from '../served-resources.js';
import { EMBEDDED, policyContext } from './policy-context.js';

const OWN: ChainDescription = { direction: 'inbound', serviceCluster: 'inbound|80|http|web' };
const UNCLAIMED_INBOUND: ChainDescription = { direction: 'inbound', serviceCluster: undefined };
const OUTBOUND: ChainDescription = { direction: 'outbound', serviceCluster: undefined };
const TO_SERVICE: ChainDescription = { direction: 'outbound', serviceCluster: 'outbound|9000||web' };
const ONLY_CHECKS = { ...EMBEDDED, mixerReportServer: '' };
const ONLY_REPORTS = { ...EMBEDDED, mixerCheckServer: '' };
const METADATA_FILTER = 'envoy.filters.http.header_to_metadata';

/** What the plugin adds in such a mesh, for one proxy. */
function addedBy(
  policy: Partial<PolicyMeshConfig>,
  metadata: Partial<ProxyMetadata> = {},
  services: readonly Service[] = [],
) {
  const context = policyContext(policy, { services });
  const plugin = createPolicyPlugin(ENCODER, CONFIG_ENCODER, SETTINGS);
  const plan = plugin.planListeners(context, buildProxy({}, metadata));
  return {
    plan,
    key: plan?.key,
    http: (chain: ChainDescription) => plan?.httpFilters(chain).map(({ name }) => name),
    network: (chain: ChainDescription) => plan?.networkFilters(chain).map(({ name }) => name),
    httpLogs: plan?.httpAccessLogs('inbound').map(({ name }) => name),
    tcpLogs: plan?.tcpAccessLogs('inbound'),
  };
}

test('nothing is added while no policy server is named', (t) => {
  t.is(addedBy({ disablePolicyChecks: false }).plan, undefined);
});

test('inbound requests are checked before their forwarded attributes are removed', (t) => {
  t.deepEqual(addedBy(EMBEDDED).http(OWN), ['policy|inbound|80|http|web', METADATA_FILTER]);
});

test('traffic without a service is not checked, and applications get no forwarded attributes', (t) => {
  t.deepEqual(addedBy(EMBEDDED).http(UNCLAIMED_INBOUND), [METADATA_FILTER]);
  t.deepEqual(addedBy(EMBEDDED).network(UNCLAIMED_INBOUND), []);
});

test('outbound requests get the attributes of the caller before their check', (t) => {
  t.deepEqual(addedBy(EMBEDDED).http(OUTBOUND), ['policy|forward', 'policy|outbound']);
});

test('turning checks off and on adds and removes no filter', (t) => {
  for (const chain of [OWN, OUTBOUND]) {
    t.deepEqual(addedBy({ ...EMBEDDED, disablePolicyChecks: true }).http(chain), addedBy(EMBEDDED).http(chain));
    t.deepEqual(addedBy(EMBEDDED, { policy: { check: 'disable' } }).http(chain), addedBy(EMBEDDED).http(chain));
  }
  t.deepEqual(addedBy({ ...EMBEDDED, disablePolicyChecks: true }).network(OWN), addedBy(EMBEDDED).network(OWN));
});

test('outbound connections have checks only in proxies that check them', (t) => {
  t.deepEqual(addedBy(EMBEDDED).network(OWN), ['policy|tcp|inbound|80|http|web']);
  t.deepEqual(addedBy(EMBEDDED).network(TO_SERVICE), []);
  const checking = ['policy|tcp|outbound|9000||web'];
  t.deepEqual(addedBy({ ...EMBEDDED, enableClientSidePolicyCheck: true }).network(TO_SERVICE), checking);
  t.deepEqual(addedBy(EMBEDDED, { policy: { check: 'enable' } }).network(TO_SERVICE), checking);
});

test('a server only for checks gets no reports, and a server only for reports checks nothing', (t) => {
  const checks = addedBy(ONLY_CHECKS);
  t.deepEqual(checks.httpLogs, []);
  t.is(checks.tcpLogs, undefined);
  const reports = addedBy(ONLY_REPORTS);
  t.deepEqual(reports.http(OWN), [METADATA_FILTER]);
  t.deepEqual(reports.http(OUTBOUND), ['policy|forward']);
  t.deepEqual(reports.network(OWN), []);
  t.deepEqual(reports.httpLogs, ['envoy.access_loggers.http_grpc']);
});

test('connections are reported every ten seconds, also where HTTP requests are not', (t) => {
  const { httpLogs, tcpLogs } = addedBy({ ...EMBEDDED, disableMixerHttpReports: true });
  t.deepEqual(httpLogs, []);
  t.is(tcpLogs?.intervalMs, 10_000);
  t.is(addedBy({ ...EMBEDDED, reportIntervalMs: 2000 }).tcpLogs?.intervalMs, 2000);
  t.deepEqual(
    tcpLogs?.logs.map(({ name }) => name),
    ['envoy.access_loggers.tcp_grpc'],
  );
});

test('proxies that check outbound requests have a check for each fail policy that services may have', (t) => {
  const services = [buildService({ failPolicy: { policy: 'FAIL_OPEN' } })];
  const checking = { ...EMBEDDED, enableClientSidePolicyCheck: true };
  const slots = [0, 1, 2, 3, 4, 5, 6].map((slot) => `policy|outbound|${slot}`);
  t.deepEqual(addedBy(checking, {}, services).http(OUTBOUND), ['policy|forward', ...slots]);
  t.deepEqual(addedBy(EMBEDDED, {}, services).http(OUTBOUND), ['policy|forward', 'policy|outbound']);
  t.deepEqual(addedBy(checking).http(OUTBOUND), ['policy|forward', 'policy|outbound']);
});
