import test from 'ava';
import { Registry } from 'prom-client';
import { metricFamilies, NAVIGATOR_DISCOVERY_FAMILIES } from '../../src/telemetry/metric-families.js';
import { createMetrics, recordStart } from '../../src/telemetry/metrics.js';
import { METRICS } from '../surface/metrics.js';

const BEYOND_THE_SPECIFICATION = `
dns_tls_pending
dns_tls_req
grpc_server_handled_total
grpc_server_msg_received_total
grpc_server_msg_sent_total
grpc_server_started_total
nav_dns_cluster_without_endpoints
nav_info
nav_refused_settings_total
`;
/** Families of this implementation, beside those of the policy server. */
const OURS = `
nav_envoy_filter_patches_skipped
nav_gateway_servers_rejected
nav_grpc_unsupported
ca_server_csr_shed_count
nav_dns_answers_total
nav_dns_cache_bytes
nav_dns_limits_reached_total
nav_dns_queries_total
nav_dns_upstream_failures_total
nav_dns_upstream_seconds
nav_grpc_limits_reached
nav_http_refused_total
nav_jwks_sources
nav_load_requests_dropped
nav_load_requests_failed
nav_load_requests_in_progress
nav_load_requests_issued
nav_load_requests_succeeded
nav_gateway_credentials_refused
nav_tls_refused_connections
nav_token_reviews_shed
nav_webhook_shed_total
nav_trace_exports
nav_xds_limits_met
nav_xds_refused_streams
nav_envoy_filter_patches_withheld
nav_xds_unacknowledged_responses
`;
const OUR_PREFIXES = ['policy_server_', 'policy_adapter_', 'policy_discovery_'] as const;

const words = (list: string): readonly string[] => list.trim().split('\n');

test('the families beside those of the specification are listed here', (t) => {
  const specified = METRICS.map(({ name }) => name);
  const ours = Object.keys(metricFamilies).filter(
    (name) => !specified.includes(name) && !OUR_PREFIXES.some((prefix) => name.startsWith(prefix)),
  );
  t.deepEqual(ours.sort(), [...words(BEYOND_THE_SPECIFICATION), ...words(OURS)].sort());
});

test('a family is shown only after its first record', async (t) => {
  const registry = new Registry();
  const metrics = createMetrics(registry);
  t.is((await registry.metrics()).trim(), '');
  metrics.increment('nav_total_xds_rejects');
  const text = await registry.metrics();
  t.true(text.includes('# TYPE nav_total_xds_rejects counter\nnav_total_xds_rejects 1\n'));
  t.is(text.match(/# TYPE/g)?.length, 1);
});

test('families of the start are in the first scrape, without labels at 0 and times without a value', async (t) => {
  const registry = new Registry();
  createMetrics(registry, NAVIGATOR_DISCOVERY_FAMILIES);
  const text = await registry.metrics();
  for (const name of NAVIGATOR_DISCOVERY_FAMILIES) {
    const { type, help } = metricFamilies[name];
    t.true(text.includes(`# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`), name);
  }
  t.true(text.includes('\nnav_total_xds_rejects 0\n'));
  t.false(text.includes('\nca_server_root_cert_expiry_timestamp 0'));
});

test('counters keep their names, and count by one by default', async (t) => {
  const registry = new Registry();
  const metrics = createMetrics(registry);
  metrics.increment('nav_xds_pushes', { type: 'cds' });
  metrics.increment('nav_xds_pushes', { type: 'cds' }, 4);
  metrics.increment('nav_inbound_updates', { type: 'eds' });
  metrics.increment('nav_xds_write_timeout', 3);
  const text = await registry.metrics();
  t.true(text.includes('\nnav_xds_pushes{type="cds"} 5\n'));
  t.true(text.includes('\nnav_inbound_updates{type="eds"} 1\n'));
  t.true(text.includes('\nnav_xds_write_timeout 3\n'));
  t.false(text.includes('_total'));
});

test('gauges are set and moved both ways', async (t) => {
  const registry = new Registry();
  const metrics = createMetrics(registry);
  metrics.add('nav_xds', { version: '1.2' }, 1);
  metrics.add('nav_xds', { version: '1.2' }, 1);
  metrics.add('nav_xds', { version: '1.2' }, -1);
  metrics.set('nav_services', 7);
  metrics.set('nav_no_ip', 0);
  const text = await registry.metrics();
  t.true(text.includes('nav_xds{version="1.2"} 1\n'));
  t.true(text.includes('nav_services 7\n'));
  t.true(text.includes('nav_no_ip 0\n'));
});

test('histograms fill their own buckets', async (t) => {
  const registry = new Registry();
  const metrics = createMetrics(registry);
  metrics.observe('nav_xds_push_time', { type: 'eds' }, 0.002);
  metrics.observe('nav_proxy_queue_time', 0.2);
  const text = await registry.metrics();
  t.true(text.includes('nav_xds_push_time_bucket{le="0.001",type="eds"} 0\n'));
  t.true(text.includes('nav_xds_push_time_bucket{le="0.0025",type="eds"} 1\n'));
  t.true(text.includes('nav_xds_push_time_count{type="eds"} 1\n'));
  t.true(text.includes('nav_proxy_queue_time_bucket{le="1"} 1\n'));
});

test('two registries share nothing', async (t) => {
  const one = new Registry();
  const other = new Registry();
  createMetrics(one).set('nav_services', 1);
  createMetrics(other).set('nav_services', 2);
  t.true((await one.metrics()).includes('nav_services 1\n'));
  t.true((await other.metrics()).includes('nav_services 2\n'));
});

test('the start records the build, the version, and the families of the process', async (t) => {
  const registry = new Registry();
  const info = { version: '1.2.3', revision: 'r', runtime: 'node v20', status: 'Clean', tag: 'v1' };
  recordStart(createMetrics(registry), registry, info);
  const text = await registry.metrics();
  t.true(text.includes('mesh_build{component="navigator",tag="v1"} 1\n'));
  t.true(text.includes('nav_info{version="1.2.3"} 1\n'));
  t.true(text.includes('# TYPE process_resident_memory_bytes gauge\n'));
  t.true(text.includes('# TYPE nodejs_eventloop_lag_seconds gauge\n'));
});

test('a wrong name, type or label does not compile', (t) => {
  const metrics = createMetrics(new Registry());
  const wrong = () => {
    // @ts-expect-error: no such family
    metrics.increment('nav_nothing');
    // @ts-expect-error: a gauge is not counted
    metrics.increment('nav_services');
    // @ts-expect-error: the label is missing
    metrics.increment('nav_push_triggers');
    // @ts-expect-error: no such label
    metrics.increment('nav_push_triggers', { kind: 'x' });
    // @ts-expect-error: labels where there are none
    metrics.set('nav_services', { a: 'b' }, 1);
    // @ts-expect-error: the value is missing
    metrics.observe('nav_proxy_queue_time');
  };
  t.is(typeof wrong, 'function');
});
