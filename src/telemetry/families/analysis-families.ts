import { POWERS_OF_TWO_MS, SNAPSHOT_EVENTS } from './buckets.js';
import { counter, gauge, histogram } from './family.js';

/** Families of the analysis, and of the objects that the sources of clusters translate (docs/reference/metrics.md). */
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
