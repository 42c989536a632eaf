import type { Metrics } from '../../telemetry/metrics.js';

/** The `policy_adapter_*` families of one handler (docs/reference/metrics.md). */
export interface HandlerMetrics {
  connected(isConnected: boolean): void;
  reportsSent(reports: number): void;
  reportsLost(reports: number): void;
  /** The handler is closed. Its counters stay. */
  close(): void;
}

export interface OwnAdapterMetrics {
  /** @param handler key of a handler, which a changed one with the same key may follow before it is closed */
  open(handler: string): HandlerMetrics;
}

export function createOwnAdapterMetrics(metrics: Metrics): OwnAdapterMetrics {
  const generations = new Map<string, number>();
  return {
    open: (handler) => {
      generations.set(handler, (generations.get(handler) ?? 0) + 1);
      const labels = { handler };
      metrics.set('policy_adapter_connected', labels, 0);
      return {
        connected: (isConnected) => metrics.set('policy_adapter_connected', labels, isConnected ? 1 : 0),
        reportsSent: (reports) => metrics.increment('policy_adapter_reports_sent_total', labels, reports),
        reportsLost: (reports) => metrics.increment('policy_adapter_reports_lost_total', labels, reports),
        close: () => {
          const left = (generations.get(handler) ?? 1) - 1;
          if (left > 0) generations.set(handler, left);
          else {
            generations.delete(handler);
            metrics.remove('policy_adapter_connected', labels);
          }
        },
      };
    },
  };
}
