import type { Clock } from '../../base/clock.js';
import { parseOutboundClusterName } from '../../envoy/names.js';
import type { PushContext } from '../../model/push-context.js';
import type { Logger } from '../../telemetry/logger.js';
import type { Metrics } from '../../telemetry/metrics.js';
import { createSubjectLog } from '../../telemetry/subject-log.js';
import { LIMIT_SETTINGS } from '../limits/xds-limits.js';
import type { ClusterLoad } from './load-report-wire.js';

/** Records the load reports of one proxy. */
export interface ProxyLoads {
  record(clusters: readonly ClusterLoad[]): void;
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
  /** Pairs of cluster and locality, or cluster and reason, with series of their own (NAV_LOAD_REPORT_MAX_SERIES). */
  readonly maxSeries: number;
  /** The newest snapshot. */
  context(): PushContext | undefined;
  /** Counts a report beyond `maxSeries`. */
  limitMet(): void;
}

/** Label of clusters of no known service, and of everything beyond the limit of series. */
const OTHER = 'other';

export function createLoadRecorder(parts: LoadRecorderParts): LoadRecorder {
  const { metrics, maxSeries, intervalMs } = parts;
  const log = createSubjectLog(parts.logger, parts.clock);
  const known = new Set<string>();

  /** Labels come from proxies, which can invent any. */
  const isKnown = (cluster: string, second: string): boolean => {
    const key = `${cluster}\n${second}`;
    if (known.has(key)) return true;
    if (known.size >= maxSeries) {
      parts.limitMet();
      log.warn(OTHER, { setting: LIMIT_SETTINGS.loadSeries, maxSeries }, 'load reports share the series of others');
      return false;
    }
    known.add(key);
    return true;
  };

  const clusterLabel = (name: string): string => {
    const outbound = parseOutboundClusterName(name);
    return outbound !== undefined && parts.context()?.servicesByHost.has(outbound.hostname) === true ? name : OTHER;
  };

  const labelsOf = (name: string, locality: string): { readonly cluster: string; readonly locality: string } => {
    const cluster = clusterLabel(name);
    if (cluster !== OTHER && isKnown(cluster, locality)) return { cluster, locality };
    return { cluster: OTHER, locality: OTHER };
  };

  return {
    intervalMs,
    open: () => {
      /** Requests in progress at the last report, by labels; without zeros. */
      let last = new Map<string, { readonly labels: ReturnType<typeof labelsOf>; readonly count: number }>();
      const replace = (next: typeof last): void => {
        for (const { labels, count } of last.values()) metrics.add('nav_load_requests_in_progress', labels, -count);
        for (const { labels, count } of next.values()) metrics.add('nav_load_requests_in_progress', labels, count);
        last = next;
      };
      const recordCluster = ({ cluster: name, localities, dropped }: ClusterLoad, next: typeof last): void => {
        for (const { locality, issued, succeeded, failed, inProgress } of localities) {
          const labels = labelsOf(name, locality);
          metrics.increment('nav_load_requests_issued', labels, issued);
          metrics.increment('nav_load_requests_succeeded', labels, succeeded);
          metrics.increment('nav_load_requests_failed', labels, failed);
          if (inProgress === 0) continue;
          const key = `${labels.cluster}\n${labels.locality}`;
          next.set(key, { labels, count: (next.get(key)?.count ?? 0) + inProgress });
        }
        for (const [reason, count] of dropped) {
          if (count === 0) continue;
          const { cluster, locality: category } = labelsOf(name, reason);
          metrics.increment('nav_load_requests_dropped', { cluster, category }, count);
        }
      };
      return {
        record: (clusters) => {
          const next: typeof last = new Map();
          for (const cluster of clusters) recordCluster(cluster, next);
          replace(next);
        },
        close: () => replace(new Map()),
      };
    },
  };
}
