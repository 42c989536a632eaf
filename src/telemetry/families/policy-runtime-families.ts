import { DISPATCH_SECONDS, PER_REQUEST } from './buckets.js';
import { counter, gauge, histogram } from './family.js';

/** Families of handlers, instances and rules of the policy server. */
export const policyRuntimeFamilies = {
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
