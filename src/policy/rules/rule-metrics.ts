import type { RuleCounts } from '../../config/policy-rules/rule-counts.js';
import type { Metrics } from '../../telemetry/metrics.js';
import type { Variety } from './rule-objects.js';

/** Names of a call of a handler. All come from the configuration, never from a caller. */
export interface CallLabels {
  readonly template: string;
  /** Key of the handler. */
  readonly handler: string;
  readonly adapter: string;
}

/** What the last change of the configuration did to handlers. */
export interface HandlerTransition {
  readonly built: number;
  readonly reused: number;
  readonly closed: number;
  readonly buildFailures: number;
}

/** The `policy_*` families of rules (docs/reference/metrics.md). */
export interface RuleMetrics {
  configured(counts: RuleCounts): void;
  unsatisfied(actions: number): void;
  transition(transition: HandlerTransition): void;
  closeFailed(): void;
  /** Handlers that rules in force call, by variety of the templates. */
  destinations(byVariety: ReadonlyMap<Variety, number>): void;
  /** One request or report was dispatched. */
  dispatched(handlers: number, instances: number): void;
  called(labels: CallLabels, isError: boolean, durationMs: number): void;
  /** Calls of a handler that wait for an answer. */
  workers(handler: string, calls: number): void;
  /** Timers of a handler. */
  daemons(handler: string, timers: number): void;
  forget(handler: string): void;
}

const MS_PER_SECOND = 1000;

export function createRuleMetrics(metrics: Metrics): RuleMetrics {
  let closeFailures = 0;
  return {
    configured: (counts) => {
      metrics.set('policy_config_adapter_info_configs_total', counts.adapters);
      metrics.set('policy_config_adapter_info_config_errors_total', counts.invalidAdapters);
      metrics.set('policy_config_attributes_total', counts.attributes);
      metrics.set('policy_config_handler_configs_total', counts.handlers);
      metrics.set('policy_config_handler_validation_error_total', counts.invalidHandlers);
      metrics.set('policy_config_instance_configs_total', counts.instances);
      metrics.set('policy_config_instance_config_errors_total', counts.invalidInstances);
      metrics.set('policy_config_rule_configs_total', counts.rules);
      metrics.set('policy_config_rule_config_errors_total', counts.invalidRules);
      metrics.set('policy_config_rule_config_match_error_total', counts.invalidMatches);
      metrics.set('policy_config_template_configs_total', counts.templates);
      metrics.set('policy_config_template_config_errors_total', counts.invalidTemplates);
    },
    unsatisfied: (actions) => metrics.set('policy_config_unsatisfied_action_handler_total', actions),
    transition: ({ built, reused, closed, buildFailures }) => {
      closeFailures = 0;
      metrics.set('policy_handler_new_handlers_total', built);
      metrics.set('policy_handler_reused_handlers_total', reused);
      metrics.set('policy_handler_closed_handlers_total', closed);
      metrics.set('policy_handler_handler_build_failures_total', buildFailures);
      metrics.set('policy_handler_handler_close_failures_total', closeFailures);
    },
    closeFailed: () => metrics.set('policy_handler_handler_close_failures_total', ++closeFailures),
    destinations: (byVariety) => {
      for (const variety of ['check', 'quota', 'report'] as const) {
        metrics.set('policy_dispatcher_destinations_per_variety_total', { variety }, byVariety.get(variety) ?? 0);
      }
    },
    dispatched: (handlers, instances) => {
      metrics.observe('policy_dispatcher_destinations_per_request', handlers);
      metrics.observe('policy_dispatcher_instances_per_request', instances);
    },
    called: ({ template, handler, adapter }, isError, durationMs) => {
      const labels = { meshFunction: template, handler, adapter, error: String(isError) };
      metrics.increment('policy_runtime_dispatches_total', labels);
      metrics.observe('policy_runtime_dispatch_duration_seconds', labels, durationMs / MS_PER_SECOND);
    },
    workers: (handler, calls) => metrics.set('policy_handler_workers_total', { handler }, calls),
    daemons: (handler, timers) => metrics.set('policy_handler_daemons_total', { handler }, timers),
    forget: (handler) => {
      metrics.remove('policy_handler_workers_total', { handler });
      metrics.remove('policy_handler_daemons_total', { handler });
    },
  };
}
