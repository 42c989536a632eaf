import { rowsOf } from './surface-row.js';

/** Section 4.7. The third cell has the labels. */
export const METRICS = rowsOf(`
ca_server_authentication_failure_count | Sum | - | ca/service/certificate-service.test.ts | a caller that is not authenticated gets no certificate | authentication_failure_count
ca_server_cert_chain_expiry_timestamp | LastValue | - | ca/create-authority.test.ts | the CA in ROOT_CA_DIR signs, and is reloaded when its files change
ca_server_csr_count | Sum | - | ca/service/certificate-service.test.ts | a caller with a token gets a certificate for its identity, whatever its request names | csr_count
ca_server_csr_parsing_err_count | Sum | - | ca/service/certificate-service.test.ts | bytes that are not a request are rejected and counted | csr_parsing_err_count
ca_server_csr_sign_err_count | Sum | error | ca/service/certificate-service.test.ts | seconds is beyond the maximum | csr_sign_err_count
ca_server_id_extraction_err_count | Sum | - | ca/service/certificate-service.test.ts | our authority does not sign for authenticated workloads of another trust domain | id_extraction_err_count
ca_server_root_cert_expiry_timestamp | LastValue | - | ca/authority/record-expiry.test.ts | the expiry of a root is recorded, becomes negative at that time, and changes with the root
ca_server_success_cert_issuance_count | Sum | - | ca/service/certificate-service.test.ts | a caller with a token gets a certificate for its identity, whatever its request names | success_cert_issuance_count
endpoint_no_pod | LastValue | - | bootstrap/metrics.test.ts | an endpoint without its pod, one that is not ready and a service without endpoints are counted
cfgsrv_runtime_processor_event_span_duration_milliseconds | Distribution | - | status/analysis-metrics.test.ts | changes, pauses, analyses and objects by kind are counted as they happen | processor_event_span_duration_milliseconds
cfgsrv_runtime_processor_events_processed_total | Count | - | status/analysis-metrics.test.ts | changes, pauses, analyses and objects by kind are counted as they happen | processor_events_processed_total
cfgsrv_runtime_processor_snapshot_events_total | Distribution | - | status/analysis-metrics.test.ts | changes, pauses, analyses and objects by kind are counted as they happen | processor_snapshot_events_total
cfgsrv_runtime_processor_snapshot_lifetime_duration_milliseconds | Distribution | - | status/analysis-metrics.test.ts | changes, pauses, analyses and objects by kind are counted as they happen | processor_snapshot_lifetime_duration_milliseconds
cfgsrv_runtime_processor_snapshots_published_total | Count | - | status/analysis-metrics.test.ts | changes, pauses, analyses and objects by kind are counted as they happen | processor_snapshots_published_total
cfgsrv_runtime_state_type_instances_total | LastValue | collection | status/analysis-metrics.test.ts | changes, pauses, analyses and objects by kind are counted as they happen | state_type_instances_total
cfgsrv_runtime_strategy_on_change_total | Count | - | status/analysis-metrics.test.ts | changes, pauses, analyses and objects by kind are counted as they happen | strategy_on_change_total
cfgsrv_runtime_strategy_timer_max_time_reached_total | Count | - | status/analysis-metrics.test.ts | changes, pauses, analyses and objects by kind are counted as they happen | strategy_timer_max_time_reached_total
cfgsrv_runtime_strategy_timer_quiesce_reached_total | Count | - | status/analysis-metrics.test.ts | changes, pauses, analyses and objects by kind are counted as they happen | strategy_timer_quiesce_reached_total
cfgsrv_runtime_strategy_timer_resets_total | Count | - | status/analysis-metrics.test.ts | changes, pauses, analyses and objects by kind are counted as they happen | strategy_timer_resets_total
cfgsrv_source_kube_dynamic_converter_failure_total | Count | apiVersion,group,kind | sources/kubernetes/objects/event-recorder.test.ts | handled events, failed ones and translated objects count by their kind
cfgsrv_source_kube_dynamic_converter_success_total | Count | apiVersion,group,kind | sources/kubernetes/objects/event-recorder.test.ts | handled events, failed ones and translated objects count by their kind
cfgsrv_source_kube_event_error_total | Count | error | sources/kubernetes/objects/event-recorder.test.ts | handled events, failed ones and translated objects count by their kind
cfgsrv_source_kube_event_success_total | Count | - | sources/kubernetes/objects/event-recorder.test.ts | handled events, failed ones and translated objects count by their kind
cfgsrv_validation_config_delete_error | Count | reason | webhooks/certificates/validation-controller.test.ts | a configuration that is deleted while the server runs is counted as deleted | delete_error
cfgsrv_validation_config_load | Count | - | webhooks/certificates/validation-controller.test.ts | failurePolicy becomes Fail after the first rejection, probed each second, and stays Fail | 'load 2'
cfgsrv_validation_config_load_error | Count | reason | webhooks/certificates/validation-controller.test.ts | are counted and logged once, and used when they are valid | load_error
cfgsrv_validation_config_update_error | Count | reason | webhooks/certificates/validation-controller.test.ts | a missing configuration is counted, and read again only after a change | update_error
cfgsrv_validation_config_updates | Count | - | webhooks/certificates/validation-controller.test.ts | failurePolicy becomes Fail after the first rejection, probed each second, and stays Fail | 'updates 3'
cfgsrv_validation_failed | Sum | group,version,resource,reason | bootstrap/webhooks.test.ts | a server with the rights of manifests/ has the API server ask it about objects, and warns of missing ones
cfgsrv_validation_http_error | Sum | status | webhooks/validation/validation-handler.test.ts | a request that is no review is counted by its status
cfgsrv_validation_passed | Sum | group,version,resource | bootstrap/webhooks.test.ts | a server with the rights of manifests/ has the API server ask it about objects, and warns of missing ones
mesh_build | LastValue | component,tag | bootstrap/metrics.test.ts | both HTTP listeners serve the same pages
mesh_mcp_clients_total | LastValue | component | -
mesh_mcp_message_sizes_bytes | Distribution | component,collection | -
mesh_mcp_reconnections | Sum | component | -
mesh_mcp_recv_failures_total | Sum | component,code,error | -
mesh_mcp_request_acks_total | Sum | component,collection | -
mesh_mcp_request_nacks_total | Sum | component,collection,code | -
mesh_mcp_send_failures_total | Sum | component,code,error | -
policy_config_adapter_info_config_errors_total | LastValue | - | policy/rules/rule-metrics.test.ts | the numbers of the configuration are those of its objects, and of those with a problem | adapter_info_config_errors_total
policy_config_adapter_info_configs_total | LastValue | - | policy/rules/rule-metrics.test.ts | the numbers of the configuration are those of its objects, and of those with a problem | adapter_info_configs_total
policy_config_attributes_total | LastValue | - | policy/rules/rule-metrics.test.ts | the numbers of the configuration are those of its objects, and of those with a problem | attributes_total
policy_config_handler_configs_total | LastValue | - | policy/rules/rule-metrics.test.ts | the numbers of the configuration are those of its objects, and of those with a problem | handler_configs_total
policy_config_handler_validation_error_total | LastValue | - | policy/rules/rule-metrics.test.ts | the numbers of the configuration are those of its objects, and of those with a problem | handler_validation_error_total
policy_config_instance_config_errors_total | LastValue | - | policy/rules/rule-metrics.test.ts | the numbers of the configuration are those of its objects, and of those with a problem | instance_config_errors_total
policy_config_instance_configs_total | LastValue | - | policy/rules/rule-metrics.test.ts | the numbers of the configuration are those of its objects, and of those with a problem | instance_configs_total
policy_config_rule_config_errors_total | LastValue | - | policy/rules/rule-metrics.test.ts | the numbers of the configuration are those of its objects, and of those with a problem | rule_config_errors_total
policy_config_rule_config_match_error_total | LastValue | - | policy/rules/rule-metrics.test.ts | the numbers of the configuration are those of its objects, and of those with a problem | rule_config_match_error_total
policy_config_rule_configs_total | LastValue | - | policy/rules/rule-metrics.test.ts | the numbers of the configuration are those of its objects, and of those with a problem | rule_configs_total
policy_config_template_config_errors_total | LastValue | - | policy/rules/rule-metrics.test.ts | the numbers of the configuration are those of its objects, and of those with a problem | template_config_errors_total
policy_config_template_configs_total | LastValue | - | policy/rules/rule-metrics.test.ts | the numbers of the configuration are those of its objects, and of those with a problem | template_configs_total
policy_config_unsatisfied_action_handler_total | LastValue | - | policy/rules/rule-metrics.test.ts | the numbers of the configuration are those of its objects, and of those with a problem | unsatisfied_action_handler_total
policy_dispatcher_destinations_per_request | Distribution | - | policy/rules/rule-metrics.test.ts | each dispatch is counted with its handlers and instances, and each call with its time and outcome | destinations_per_request
policy_dispatcher_destinations_per_variety_total | LastValue | variety | policy/rules/rule-metrics.test.ts | each dispatch is counted with its handlers and instances, and each call with its time and outcome | destinations_per_variety_total
policy_dispatcher_instances_per_request | Distribution | - | policy/rules/rule-metrics.test.ts | each dispatch is counted with its handlers and instances, and each call with its time and outcome | instances_per_request
policy_handler_closed_handlers_total | LastValue | - | policy/rules/rule-metrics.test.ts | handlers that are built, reused and closed, and those that fail, are counted at each change | closed_handlers_total
policy_handler_daemons_total | LastValue | handler | policy/rules/rule-metrics.test.ts | calls that wait and timers of a handler are counted while they last | daemons_total
policy_handler_handler_build_failures_total | LastValue | - | policy/rules/rule-metrics.test.ts | handlers that are built, reused and closed, and those that fail, are counted at each change | handler_build_failures_total
policy_handler_handler_close_failures_total | LastValue | - | policy/rules/rule-metrics.test.ts | handlers that are built, reused and closed, and those that fail, are counted at each change | handler_close_failures_total
policy_handler_new_handlers_total | LastValue | - | policy/rules/rule-metrics.test.ts | handlers that are built, reused and closed, and those that fail, are counted at each change | new_handlers_total
policy_handler_reused_handlers_total | LastValue | - | policy/rules/rule-metrics.test.ts | handlers that are built, reused and closed, and those that fail, are counted at each change | reused_handlers_total
policy_handler_workers_total | LastValue | handler | policy/rules/rule-metrics.test.ts | calls that wait and timers of a handler are counted while they last | workers_total
policy_runtime_dispatch_duration_seconds | Distribution | meshFunction,handler,adapter,error | policy/rules/rule-metrics.test.ts | each dispatch is counted with its handlers and instances, and each call with its time and outcome | _duration_seconds
policy_runtime_dispatches_total | Count | meshFunction,handler,adapter,error | policy/rules/rule-metrics.test.ts | each dispatch is counted with its handlers and instances, and each call with its time and outcome | es_total
num_failed_outgoing_requests | Sum | request_type | telemetry/outgoing-calls.test.ts | a failed call counts, and each call that repeats it is a retry until one succeeds
num_outgoing_requests | Sum | request_type | bootstrap/metrics.test.ts | keys of a JWT issuer are outgoing calls, with their failures and retries
num_outgoing_retries | Sum | request_type | bootstrap/metrics.test.ts | keys of a JWT issuer are outgoing calls, with their failures and retries
outgoing_latency | Sum | request_type | telemetry/outgoing-calls.test.ts | each outgoing call counts with its time, in milliseconds
nav_conflict_inbound_listener | LastValue | - | generators/listeners/inbound/inbound-part.test.ts | of two services at one port the older one has it, and the other is a conflict
nav_conflict_outbound_listener_http_over_current_tcp | LastValue | - | generators/listeners/outbound/conflicts.test.ts | is a conflict on a shared port | http_over_current_tcp
nav_conflict_outbound_listener_tcp_over_current_http | LastValue | - | generators/listeners/outbound/conflicts.test.ts | is a conflict on a shared port | tcp_over_current_http
nav_conflict_outbound_listener_tcp_over_current_tcp | LastValue | - | generators/listeners/outbound/conflicts.test.ts | two services at one address and port conflict, whatever their other ports
nav_destrule_subsets | LastValue | - | bootstrap/metrics.test.ts | each finding about the mesh is a gauge, and so are the objects that cause none
nav_duplicate_proxy_clusters | LastValue | - | bootstrap/metrics.test.ts | each finding about the mesh is a gauge, and so are the objects that cause none
nav_eds_no_instances | LastValue | - | bootstrap/metrics.test.ts | an endpoint without its pod, one that is not ready and a service without endpoints are counted
nav_endpoint_not_ready | LastValue | - | bootstrap/metrics.test.ts | an endpoint without its pod, one that is not ready and a service without endpoints are counted
nav_inbound_updates | Sum | type | bootstrap/metrics.test.ts | nav_inbound_updates counts config, services, removed services and endpoints
nav_invalid_out_listeners | LastValue | - | bootstrap/metrics.test.ts | each finding about the mesh is a gauge, and so are the objects that cause none
nav_jwks_resolver_network_fetch_fail_total | Sum | - | bootstrap/metrics.test.ts | keys of a JWT issuer are outgoing calls, with their failures and retries
nav_jwks_resolver_network_fetch_success_total | Sum | - | jwks/key-set-fetcher.test.ts | keys are fetched once for all users, again after each interval, and told only when they change
nav_k8s_cfg_events | Sum | type,event | sources/kubernetes/objects/event-recorder.test.ts | core objects count as registry events and mesh objects as config events, by the names of their metrics
nav_k8s_endpoints_pending_pod | LastValue | - | bootstrap/metrics.test.ts | an endpoint whose pod comes late waits until then
nav_k8s_endpoints_with_no_pods | Sum | - | bootstrap/metrics.test.ts | an endpoint whose pod comes late waits until then
nav_k8s_object_errors | LastValue | name | sources/kubernetes/objects/event-recorder.test.ts | a refused object has a series until it is in order again, and counts for good
nav_k8s_reg_events | Sum | type,event | sources/kubernetes/objects/event-recorder.test.ts | core objects count as registry events and mesh objects as config events, by the names of their metrics
nav_no_ip | LastValue | - | bootstrap/metrics.test.ts | a workload that gets a service of its own is pushed to with the reason proxy
nav_proxy_convergence_time | Distribution | - | bootstrap/metrics.test.ts | times of pushing, queueing and convergence have the buckets that dashboards know
nav_proxy_queue_time | Distribution | - | bootstrap/metrics.test.ts | times of pushing, queueing and convergence have the buckets that dashboards know
nav_push_triggers | Sum | type | bootstrap/metrics.test.ts | nav_push_triggers has a reason for each change that was merged into a push
nav_services | LastValue | - | bootstrap/metrics.test.ts | both HTTP listeners serve the same pages
nav_total_k8s_object_errors | Sum | - | sources/kubernetes/objects/event-recorder.test.ts | a refused object has a series until it is in order again, and counts for good
nav_total_rejected_configs | Sum | type,name | bootstrap/rejected-configs.test.ts | each conflict of a Gateway counts once when it appears, under the name of the Gateway
nav_total_xds_internal_errors | Sum | - | push/distributor.test.ts | a subscriber that throws does not affect the others | internalError
nav_total_xds_rejects | Sum | - | bootstrap/metrics.test.ts | responses, refusals and expired nonces are counted by type
nav_virt_services | LastValue | - | bootstrap/metrics.test.ts | each finding about the mesh is a gauge, and so are the objects that cause none
nav_vservice_dup_domain | LastValue | - | generators/routes/route-generator.test.ts | of a domain that two services claim, the younger loses that domain alone, and it is reported
nav_xds | LastValue | version | bootstrap/metrics.test.ts | nav_xds counts connected proxies by the version that they say they have
nav_xds_cds_reject | LastValue | node,err | bootstrap/bad-input.test.ts | a refusal is logged, counted and shown with its reason, and not answered
nav_xds_eds_reject | LastValue | node,err | bootstrap/metrics.test.ts | refusals of endpoints and routes are series of their node
nav_xds_expired_nonce | Sum | type | bootstrap/metrics.test.ts | responses, refusals and expired nonces are counted by type
nav_xds_lds_reject | LastValue | node,err | bootstrap/metrics.test.ts | responses, refusals and expired nonces are counted by type
nav_xds_push_context_errors | Sum | - | push/distributor.test.ts | a push whose snapshot fails is counted, and the next push includes its changes | contextError
nav_xds_push_time | Distribution | type | bootstrap/metrics.test.ts | times of pushing, queueing and convergence have the buckets that dashboards know
nav_xds_pushes | Sum | type | bootstrap/metrics.test.ts | responses, refusals and expired nonces are counted by type
nav_xds_rds_reject | LastValue | node,err | bootstrap/metrics.test.ts | refusals of endpoints and routes are series of their node
nav_xds_write_timeout | Sum | - | xds/proxy-session.test.ts | a response that is not read is counted after 5 s and ends the stream after a minute | writeTimedOut
scrape_failures_total | Sum | type | telemetry/metrics-text.test.ts | a failed rendering is not cached
scrapes_total | Sum | - | telemetry/metrics-text.test.ts | a failed rendering is not cached
sidecar_injection_failure_total | Sum | - | webhooks/injection/injection-handler.test.ts | a pod with a wrong annotation is rejected with its text, and counted as a failure
sidecar_injection_requests_total | Sum | - | webhooks/injection/injection-handler.test.ts | every request is counted, and those that never reach the handler as failures
sidecar_injection_skip_total | Sum | - | webhooks/injection/injection-handler.test.ts | a pod that is skipped is allowed without a patch, and counted as skipped
sidecar_injection_success_total | Sum | - | webhooks/injection/injection-handler.test.ts | a pod that is injected is allowed with a patch, and counted as a success`);

const POWERS = (base: number, count: number): readonly number[] =>
  Array.from({ length: count }, (_, exponent) => base ** exponent);
const PER_REQUEST = [0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 15, 20];
const DISPATCH = [1, 2.5, 5].flatMap((step) => [-4, -3, -2, -1, 0].map((power) => Number(`${step}e${power}`)));

/** The bounds of each histogram. A family may have more bounds below the first one. */
export const BUCKETS: Readonly<Record<string, readonly number[]>> = {
  nav_xds_push_time: [0.01, 0.1, 1, 3, 5, 10, 20, 30],
  nav_proxy_queue_time: [0.1, 1, 3, 5, 10, 20, 30],
  nav_proxy_convergence_time: [0.1, 0.5, 1, 3, 5, 10, 20, 30],
  mesh_mcp_message_sizes_bytes: POWERS(4, 16),
  cfgsrv_runtime_processor_event_span_duration_milliseconds: [0, ...POWERS(2, 24)],
  cfgsrv_runtime_processor_snapshot_lifetime_duration_milliseconds: [0, ...POWERS(2, 24)],
  cfgsrv_runtime_processor_snapshot_events_total: [0, ...POWERS(2, 9)],
  policy_dispatcher_destinations_per_request: PER_REQUEST,
  policy_dispatcher_instances_per_request: PER_REQUEST,
  policy_runtime_dispatch_duration_seconds: [...DISPATCH, 10].sort((one, other) => one - other),
};
