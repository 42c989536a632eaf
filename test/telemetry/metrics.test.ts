import test from 'ava';
import { Registry } from 'prom-client';
import type { Family } from '../../src/telemetry/families/family.js';
import { type FamilyName, metricFamilies } from '../../src/telemetry/metric-families.js';
import { createMetrics, recordStart } from '../../src/telemetry/metrics.js';

// The list of docs/reference/metrics.md, by its types.
const SUM = `
ca_server_authentication_failure_count
ca_server_csr_count
ca_server_csr_parsing_err_count
ca_server_csr_sign_err_count
ca_server_id_extraction_err_count
ca_server_success_cert_issuance_count
cfgsrv_validation_failed
cfgsrv_validation_http_error
cfgsrv_validation_passed
mesh_mcp_reconnections
mesh_mcp_recv_failures_total
mesh_mcp_request_acks_total
mesh_mcp_request_nacks_total
mesh_mcp_send_failures_total
num_failed_outgoing_requests
num_outgoing_requests
num_outgoing_retries
outgoing_latency
nav_inbound_updates
nav_jwks_resolver_network_fetch_fail_total
nav_jwks_resolver_network_fetch_success_total
nav_k8s_cfg_events
nav_k8s_endpoints_with_no_pods
nav_k8s_reg_events
nav_push_triggers
nav_total_k8s_object_errors
nav_total_rejected_configs
nav_total_xds_internal_errors
nav_total_xds_rejects
nav_xds_expired_nonce
nav_xds_push_context_errors
nav_xds_pushes
nav_xds_write_timeout
scrape_failures_total
scrapes_total
sidecar_injection_failure_total
sidecar_injection_requests_total
sidecar_injection_skip_total
sidecar_injection_success_total
`;

const LASTVALUE = `
ca_server_cert_chain_expiry_timestamp
ca_server_root_cert_expiry_timestamp
endpoint_no_pod
cfgsrv_runtime_state_type_instances_total
mesh_build
mesh_mcp_clients_total
policy_config_adapter_info_config_errors_total
policy_config_adapter_info_configs_total
policy_config_attributes_total
policy_config_handler_configs_total
policy_config_handler_validation_error_total
policy_config_instance_config_errors_total
policy_config_instance_configs_total
policy_config_rule_config_errors_total
policy_config_rule_config_match_error_total
policy_config_rule_configs_total
policy_config_template_config_errors_total
policy_config_template_configs_total
policy_config_unsatisfied_action_handler_total
policy_dispatcher_destinations_per_variety_total
policy_handler_closed_handlers_total
policy_handler_daemons_total
policy_handler_handler_build_failures_total
policy_handler_handler_close_failures_total
policy_handler_new_handlers_total
policy_handler_reused_handlers_total
policy_handler_workers_total
nav_conflict_inbound_listener
nav_conflict_outbound_listener_http_over_current_tcp
nav_conflict_outbound_listener_tcp_over_current_http
nav_conflict_outbound_listener_tcp_over_current_tcp
nav_destrule_subsets
nav_duplicate_proxy_clusters
nav_eds_no_instances
nav_endpoint_not_ready
nav_envoy_filter_patches_skipped
nav_gateway_servers_rejected
nav_grpc_unsupported
nav_invalid_out_listeners
nav_k8s_endpoints_pending_pod
nav_k8s_object_errors
nav_no_ip
nav_services
nav_virt_services
nav_vservice_dup_domain
nav_xds
nav_xds_cds_reject
nav_xds_eds_reject
nav_xds_lds_reject
nav_xds_rds_reject
`;

const DISTRIBUTION = `
cfgsrv_runtime_processor_event_span_duration_milliseconds
cfgsrv_runtime_processor_snapshot_events_total
cfgsrv_runtime_processor_snapshot_lifetime_duration_milliseconds
mesh_mcp_message_sizes_bytes
policy_dispatcher_destinations_per_request
policy_dispatcher_instances_per_request
policy_runtime_dispatch_duration_seconds
nav_proxy_convergence_time
nav_proxy_queue_time
nav_xds_push_time
`;

const COUNT = `
cfgsrv_runtime_processor_events_processed_total
cfgsrv_runtime_processor_snapshots_published_total
cfgsrv_runtime_strategy_on_change_total
cfgsrv_runtime_strategy_timer_max_time_reached_total
cfgsrv_runtime_strategy_timer_quiesce_reached_total
cfgsrv_runtime_strategy_timer_resets_total
cfgsrv_source_kube_dynamic_converter_failure_total
cfgsrv_source_kube_dynamic_converter_success_total
cfgsrv_source_kube_event_error_total
cfgsrv_source_kube_event_success_total
cfgsrv_validation_config_delete_error
cfgsrv_validation_config_load
cfgsrv_validation_config_load_error
cfgsrv_validation_config_update_error
cfgsrv_validation_config_updates
policy_runtime_dispatches_total
`;
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
ca_server_csr_shed_count
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
nav_xds_limits_met
nav_xds_refused_streams
nav_envoy_filter_patches_withheld
nav_xds_unacknowledged_responses
`;
const OUR_PREFIXES = ['policy_server_', 'policy_discovery_'] as const;

const words = (list: string): readonly string[] => list.trim().split('\n');
const families: Readonly<Record<string, Family>> = metricFamilies;
const typeOf = (name: string): string | undefined => families[name]?.type;

test('every documented family is declared with its type', (t) => {
  for (const name of [...words(SUM), ...words(COUNT)]) {
    t.is(typeOf(name), 'counter', name);
  }
  for (const name of words(LASTVALUE)) {
    t.is(typeOf(name), 'gauge', name);
  }
  for (const name of words(DISTRIBUTION)) {
    t.is(typeOf(name), 'histogram', name);
  }
  const specified = [SUM, COUNT, LASTVALUE, DISTRIBUTION, BEYOND_THE_SPECIFICATION].flatMap(words);
  const expected = [...specified, ...words(OURS)];
  const declared = Object.keys(metricFamilies).filter(
    (name) => !OUR_PREFIXES.some((prefix) => name.startsWith(prefix)),
  );
  t.deepEqual(declared.sort(), expected.sort());
});

const LABELS: readonly (readonly [FamilyName, readonly string[]])[] = [
  ['nav_xds', ['version']],
  ['nav_xds_cds_reject', ['node', 'err']],
  ['nav_xds_pushes', ['type']],
  ['nav_xds_push_time', ['type']],
  ['nav_push_triggers', ['type']],
  ['nav_inbound_updates', ['type']],
  ['nav_proxy_queue_time', []],
  ['nav_services', []],
  ['nav_total_rejected_configs', ['type', 'name']],
  ['nav_k8s_reg_events', ['type', 'event']],
  ['nav_k8s_cfg_events', ['type', 'event']],
  ['nav_k8s_object_errors', ['name']],
  ['nav_total_k8s_object_errors', []],
  ['nav_k8s_endpoints_pending_pod', []],
  ['nav_k8s_endpoints_with_no_pods', []],
  ['endpoint_no_pod', []],
  ['nav_endpoint_not_ready', []],
  ['ca_server_csr_sign_err_count', ['error']],
  ['cfgsrv_validation_failed', ['group', 'version', 'resource', 'reason']],
  ['mesh_build', ['component', 'tag']],
  ['mesh_mcp_request_nacks_total', ['component', 'collection', 'code']],
  ['cfgsrv_source_kube_dynamic_converter_failure_total', ['apiVersion', 'group', 'kind']],
  ['policy_runtime_dispatches_total', ['meshFunction', 'handler', 'adapter', 'error']],
  ['outgoing_latency', ['request_type']],
];

for (const [name, labels] of LABELS) {
  test(`${name} has the labels [${labels.join(', ')}]`, (t) => {
    t.deepEqual([...metricFamilies[name].labels], [...labels]);
  });
}

const BUCKETS: readonly (readonly [FamilyName<'histogram'>, readonly number[]])[] = [
  ['nav_xds_push_time', [0.01, 0.1, 1, 3, 5, 10, 20, 30]],
  ['nav_proxy_queue_time', [0.1, 1, 3, 5, 10, 20, 30]],
  ['nav_proxy_convergence_time', [0.1, 0.5, 1, 3, 5, 10, 20, 30]],
];

for (const [name, specified] of BUCKETS) {
  test(`${name} keeps the documented buckets and adds finer ones only below them`, (t) => {
    const { buckets } = metricFamilies[name];
    const smallest = specified[0] ?? 0;
    t.deepEqual(
      buckets.filter((bucket) => bucket >= smallest),
      [...specified],
    );
    t.true(buckets.filter((bucket) => bucket < smallest).length >= 4);
    t.deepEqual(
      buckets,
      [...buckets].sort((a, b) => a - b),
    );
  });
}

test('the other histograms have exactly the documented buckets', (t) => {
  t.is(metricFamilies.mesh_mcp_message_sizes_bytes.buckets[0], 1);
  t.is(metricFamilies.mesh_mcp_message_sizes_bytes.buckets.at(-1), 4 ** 15);
  const spans = metricFamilies.cfgsrv_runtime_processor_event_span_duration_milliseconds.buckets;
  t.deepEqual([spans[0], spans[1], spans.at(-1)], [0, 1, 8388608]);
  t.deepEqual(
    metricFamilies.cfgsrv_runtime_processor_snapshot_events_total.buckets,
    [0, 1, 2, 4, 8, 16, 32, 64, 128, 256],
  );
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
