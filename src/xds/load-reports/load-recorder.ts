import type { Clock } from '../../base/clock.js';
import type { PushContext } from '../../model/push-context.js';
import type { Work } from '../../push/work.js';
import type { Logger } from '../../telemetry/logger.js';
import type { Metrics } from '../../telemetry/metrics.js';
import type { ClusterLoad, LocalityLoad } from './load-report-wire.js';
import { createLoadSeries, type LoadSeries } from './load-series.js';

/** The sender of load reports. */
export interface LoadReporter {
  /** Of the proxy's configuration. */
  readonly namespace: string;
  /** The SPIFFE id or the address of the peer, for the log. */
  readonly peer: string;
}

/** Records the load reports of one proxy. */
export interface ProxyLoads {
  /**
   * Adds a report, with pauses.
   *
   * @param onKept called when the number of series changes in which the proxy has requests in progress. It may throw
   */
  record(clusters: readonly ClusterLoad[], by: LoadReporter, onKept: (series: number) => void): Work<void>;
  /** The proxy is gone, and its requests with it. */
  close(): void;
}

/** Adds the load reports of all proxies (docs/reference/xds.md#load-reports). */
export interface LoadRecorder {
  /** Time from one report of a proxy to its next (NAV_LOAD_REPORT_INTERVAL). */
  readonly intervalMs: number;
  open(): ProxyLoads;
}

export interface LoadRecorderParts {
  readonly metrics: Metrics;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly intervalMs: number;
  /** Pairs of cluster and locality, and clusters with dropped requests, with series of their own (NAV_LOAD_REPORT_MAX_SERIES). */
  readonly maxSeries: number;
  /** The newest snapshot. */
  context(): PushContext | undefined;
  /** Counts a report beyond `maxSeries`. */
  limitMet(): void;
}

export function createLoadRecorder(parts: LoadRecorderParts): LoadRecorder {
  const { metrics, intervalMs } = parts;
  const series = createLoadSeries(parts);
  return {
    intervalMs,
    open: () => {
      /** Requests in progress at the last report, and at the one that is being recorded; without zeros. */
      let last = new Map<LoadSeries, number>();
      let next = new Map<LoadSeries, number>();
      let isClosed = false;
      const replace = (): void => {
        for (const [{ labels, release }, count] of last) {
          metrics.add('nav_load_requests_in_progress', labels, -count);
          release();
        }
        for (const [{ labels }, count] of next) metrics.add('nav_load_requests_in_progress', labels, count);
        last = next;
        next = new Map();
      };
      const recordLocality = (cluster: string, load: LocalityLoad, by: LoadReporter): void => {
        const { locality, issued, succeeded, failed, inProgress } = load;
        const one = series.ofLocality(cluster, locality, by);
        metrics.increment('nav_load_requests_issued', one.labels, issued);
        metrics.increment('nav_load_requests_succeeded', one.labels, succeeded);
        metrics.increment('nav_load_requests_failed', one.labels, failed);
        if (inProgress === 0) return;
        const before = next.get(one);
        if (before === undefined) one.hold();
        next.set(one, (before ?? 0) + inProgress);
      };
      return {
        *record(clusters, by, onKept) {
          for (const { cluster, localities, dropped } of clusters) {
            for (const each of localities) {
              if (isClosed) return;
              const before = next.size;
              recordLocality(cluster, each, by);
              if (next.size > before) onKept(last.size + next.size);
              yield;
            }
            if (isClosed) return;
            if (dropped > 0) {
              const { cluster: name, locality: category } = series.ofDropped(cluster, by).labels;
              metrics.increment('nav_load_requests_dropped', { cluster: name, category }, dropped);
            }
            yield;
          }
          replace();
          onKept(last.size);
        },
        close: () => {
          isClosed = true;
          for (const { release } of next.keys()) release();
          next = new Map();
          replace();
        },
      };
    },
  };
}
