import type { Clock } from '../base/clock.js';
import type { PushContext } from '../model/push-context.js';
import type { Metrics } from '../telemetry/metrics.js';

/** Records the work of the analysis: the families cfgsrv_runtime (docs/reference/metrics.md#analysis). */
export interface AnalysisMetrics {
  /**
   * The analysis has to run for a change.
   *
   * @param isWaiting whether an earlier change waits for the analysis too
   */
  changed(isWaiting: boolean): void;
  /**
   * The pause before an analysis has ended.
   *
   * @param isQuiet whether no other change followed the first one
   */
  pauseEnded(isQuiet: boolean): void;
  /** The analysis of a snapshot has ended; its messages are shown. */
  published(context: Pick<PushContext, 'objects'>): void;
}

export const NO_ANALYSIS_METRICS: AnalysisMetrics = {
  changed: () => undefined,
  pauseEnded: () => undefined,
  published: () => undefined,
};

export function createAnalysisMetrics(
  metrics: Pick<Metrics, 'increment' | 'observe' | 'set'>,
  clock: Clock,
): AnalysisMetrics {
  let lastChangeMs: number | undefined;
  let lastPublishedMs: number | undefined;
  let waiting = 0;
  return {
    changed: (isWaiting) => {
      const nowMs = clock.monotonicMs();
      metrics.increment('cfgsrv_runtime_strategy_on_change_total');
      if (isWaiting) metrics.increment('cfgsrv_runtime_strategy_timer_resets_total');
      if (lastChangeMs !== undefined) {
        metrics.observe('cfgsrv_runtime_processor_event_span_duration_milliseconds', nowMs - lastChangeMs);
      }
      lastChangeMs = nowMs;
      waiting++;
    },
    pauseEnded: (isQuiet) => {
      if (isQuiet) metrics.increment('cfgsrv_runtime_strategy_timer_quiesce_reached_total');
      else metrics.increment('cfgsrv_runtime_strategy_timer_max_time_reached_total');
    },
    published: ({ objects }) => {
      const nowMs = clock.monotonicMs();
      metrics.increment('cfgsrv_runtime_processor_events_processed_total', waiting);
      metrics.observe('cfgsrv_runtime_processor_snapshot_events_total', waiting);
      waiting = 0;
      metrics.increment('cfgsrv_runtime_processor_snapshots_published_total');
      if (lastPublishedMs !== undefined) {
        const lifetimeMs = nowMs - lastPublishedMs;
        metrics.observe('cfgsrv_runtime_processor_snapshot_lifetime_duration_milliseconds', lifetimeMs);
      }
      lastPublishedMs = nowMs;
      for (const [collection, each] of objects) {
        metrics.set('cfgsrv_runtime_state_type_instances_total', { collection }, each.size);
      }
    },
  };
}
