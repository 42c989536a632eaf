import { DISPATCH_SECONDS, MESSAGE_BYTES, PER_REQUEST, POWERS_OF_TWO_MS, SNAPSHOT_EVENTS } from './buckets.js';
import { counter, gauge, histogram } from './family.js';

/**
 * Families of the analysis pipeline. No family of this file is recorded: dashboards of other systems know these names
 * (docs/reference/metrics.md).
 */
export const analysisFamilies = {
  cfgsrv_runtime_processor_event_span_duration_milliseconds: histogram(
    'Duration between incoming events.',
    POWERS_OF_TWO_MS,
  ),
  cfgsrv_runtime_processor_events_processed_total: counter('Events processed.'),
  cfgsrv_runtime_processor_snapshot_events_total: histogram('Events per snapshot.', SNAPSHOT_EVENTS),
  cfgsrv_runtime_processor_snapshot_lifetime_duration_milliseconds: histogram(
    'Duration of each snapshot.',
    POWERS_OF_TWO_MS,
  ),
  cfgsrv_runtime_processor_snapshots_published_total: counter('Snapshots published.'),
  cfgsrv_runtime_state_type_instances_total: gauge('Type instances per type URL.', 'collection'),
  cfgsrv_runtime_strategy_on_change_total: counter('Calls of the strategy’s onChange.'),
  cfgsrv_runtime_strategy_timer_max_time_reached_total: counter('Times the max time was reached.'),
  cfgsrv_runtime_strategy_timer_quiesce_reached_total: counter('Times a quiesce was reached.'),
  cfgsrv_runtime_strategy_timer_resets_total: counter('Timer resets.'),
  cfgsrv_source_kube_dynamic_converter_failure_total: counter(
    'Failed resource conversions by a dynamic orchestrator source.',
    'apiVersion',
    'group',
    'kind',
  ),
  cfgsrv_source_kube_dynamic_converter_success_total: counter('Successful conversions.', 'apiVersion', 'group', 'kind'),
  cfgsrv_source_kube_event_error_total: counter('Errors handling an event in an orchestrator source.', 'error'),
  cfgsrv_source_kube_event_success_total: counter('Events handled successfully.'),
} as const;

/** Families of the MCP source. */
export const mcpFamilies = {
  mesh_mcp_clients_total: gauge('Streams currently connected.', 'component'),
  mesh_mcp_message_sizes_bytes: histogram(
    'Size of messages received from clients.',
    MESSAGE_BYTES,
    'component',
    'collection',
  ),
  mesh_mcp_reconnections: counter('Sink reconnections.', 'component'),
  mesh_mcp_recv_failures_total: counter('Receive failures in the source.', 'component', 'code', 'error'),
  mesh_mcp_request_acks_total: counter('Request acks received by the source.', 'component', 'collection'),
  mesh_mcp_request_nacks_total: counter('Request nacks received by the source.', 'component', 'collection', 'code'),
  mesh_mcp_send_failures_total: counter('Send failures in the source.', 'component', 'code', 'error'),
} as const;

/** Families of the adapters of policy servers. */
export const policyFamilies = {
  policy_config_adapter_info_config_errors_total: gauge('Errors processing adapter info configuration.'),
  policy_config_adapter_info_configs_total: gauge('Known adapters in the current config.'),
  policy_config_attributes_total: gauge('Known attributes in the current config.'),
  policy_config_handler_configs_total: gauge('Known handlers.'),
  policy_config_handler_validation_error_total: gauge('Errors because handler validation returned an error.'),
  policy_config_instance_config_errors_total: gauge('Errors processing instance configuration.'),
  policy_config_instance_configs_total: gauge('Known instances.'),
  policy_config_rule_config_errors_total: gauge('Errors processing rule configuration.'),
  policy_config_rule_config_match_error_total: gauge('Rule conditions that could not be parsed.'),
  policy_config_rule_configs_total: gauge('Known rules.'),
  policy_config_template_config_errors_total: gauge('Errors processing template configuration.'),
  policy_config_template_configs_total: gauge('Known templates.'),
  policy_config_unsatisfied_action_handler_total: gauge('Actions that failed because handlers were unavailable.'),
  policy_dispatcher_destinations_per_request: histogram('Handlers dispatched per request.', PER_REQUEST),
  policy_dispatcher_destinations_per_variety_total: gauge('Adapter destinations by template variety.', 'variety'),
  policy_dispatcher_instances_per_request: histogram('Instances created per request.', PER_REQUEST),
  policy_handler_closed_handlers_total: gauge('Handlers closed during config transition.'),
  policy_handler_daemons_total: gauge('Active daemon routines in an adapter environment.', 'handler'),
  policy_handler_handler_build_failures_total: gauge('Handlers that failed creation during config transition.'),
  policy_handler_handler_close_failures_total: gauge('Errors closing handlers during config transition.'),
  policy_handler_new_handlers_total: gauge('Handlers newly created during config transition.'),
  policy_handler_reused_handlers_total: gauge('Handlers re-used during config transition.'),
  policy_handler_workers_total: gauge('Active worker routines in an adapter environment.', 'handler'),
  policy_runtime_dispatch_duration_seconds: histogram(
    'Duration of adapter dispatches.',
    DISPATCH_SECONDS,
    'meshFunction',
    'handler',
    'adapter',
    'error',
  ),
  policy_runtime_dispatches_total: counter(
    'Adapter dispatches handled.',
    'meshFunction',
    'handler',
    'adapter',
    'error',
  ),
} as const;
