import { addCount } from '../../base/key-counts.js';
import { createSubjectLog } from '../../telemetry/subject-log.js';
import { LIMIT_SETTINGS } from '../limits/xds-limits.js';
import { createKnownLoads } from './known-loads.js';
import type { LoadRecorderParts, LoadReporter } from './load-recorder.js';

/** The labels of a cluster and a locality, or of a cluster and a reason. */
export interface LoadSeries {
  readonly labels: { readonly cluster: string; readonly locality: string };
  /** A proxy has requests in progress there: the series stays until `release`. */
  readonly hold: () => void;
  readonly release: () => void;
}

/**
 * The series of load reports. Clusters and localities that the mesh does not have share one. The others are bounded, and
 * leave when they are not used. A peer can begin as many as are free beside its own, so that no peer has all of them: the
 * first one half, the next one half of the rest.
 */
export interface LoadSeriesTable {
  ofLocality(cluster: string, locality: string, by: LoadReporter): LoadSeries;
  /** Requests that proxies dropped. */
  ofDropped(cluster: string, by: LoadReporter): LoadSeries;
}

/** Label of clusters and localities that the mesh does not have, and of everything beyond the limit of series. */
const OTHER = 'other';
/** Time from one search for series to forget to the next. */
const SEARCH_MS = 60_000;
/** Where series are short, those leave that no report has named for this time. */
const IDLE_MS = 600_000;

interface Known extends LoadSeries {
  readonly forget: () => void;
  /** The peer that named it first. */
  readonly begunBy: string;
  users: number;
  usedMs: number;
}

export function createLoadSeries(parts: LoadRecorderParts): LoadSeriesTable {
  const { metrics, logger, clock, maxSeries, context, limitMet } = parts;
  const log = createSubjectLog(logger, clock);
  const mesh = createKnownLoads(context);
  const known = new Map<string, Known>();
  /** How many of them each peer began. */
  const begun = new Map<string, number>();
  const labels = { cluster: OTHER, locality: OTHER };
  const other: LoadSeries = { labels, hold: () => undefined, release: () => undefined };
  let searchedMs = Number.NEGATIVE_INFINITY;
  /** A peer was denied a series since the last search. */
  let areShort = false;

  /** Forgets the series of deleted services, and, where series are short, those that are not used. */
  const search = (nowMs: number): void => {
    if (nowMs - searchedMs < SEARCH_MS) return;
    searchedMs = nowMs;
    for (const [key, { labels, users, usedMs, begunBy, forget }] of known) {
      const isIdle = areShort && nowMs - usedMs >= IDLE_MS;
      if (users > 0 || (!isIdle && mesh.hasCluster(labels.cluster))) continue;
      known.delete(key);
      addCount(begun, begunBy, -1);
      forget();
    }
    areShort = false;
  };

  const find = (
    key: string,
    labels: LoadSeries['labels'],
    { namespace, peer }: LoadReporter,
    forget: (labels: LoadSeries['labels']) => void,
  ): LoadSeries => {
    const nowMs = clock.monotonicMs();
    search(nowMs);
    if (!mesh.hasCluster(labels.cluster, namespace)) return other;
    const present = known.get(key);
    if (present !== undefined) {
      present.usedMs = nowMs;
      return present;
    }
    if ((begun.get(peer) ?? 0) >= maxSeries - known.size) {
      areShort = true;
      limitMet();
      log.warn(
        OTHER,
        { peer, setting: LIMIT_SETTINGS.loadSeries, maxSeries },
        'load reports share the series of others',
      );
      return other;
    }
    const series: Known = {
      labels,
      begunBy: peer,
      users: 0,
      usedMs: nowMs,
      hold: () => {
        series.users++;
      },
      release: () => {
        series.users--;
      },
      forget: () => forget(labels),
    };
    known.set(key, series);
    addCount(begun, peer, 1);
    return series;
  };

  const forgetLocality = (labels: LoadSeries['labels']): void => {
    metrics.remove('nav_load_requests_issued', labels);
    metrics.remove('nav_load_requests_succeeded', labels);
    metrics.remove('nav_load_requests_failed', labels);
    metrics.remove('nav_load_requests_in_progress', labels);
  };

  return {
    ofLocality: (cluster, told, by) => {
      const locality = mesh.hasLocality(cluster, told) ? told : OTHER;
      return find(`locality\n${cluster}\n${locality}`, { cluster, locality }, by, forgetLocality);
    },
    ofDropped: (cluster, by) =>
      find(`dropped\n${cluster}`, { cluster, locality: OTHER }, by, () =>
        metrics.remove('nav_load_requests_dropped', { cluster, category: OTHER }),
      ),
  };
}
