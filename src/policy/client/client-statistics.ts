import type { Clock } from '../../base/clock.js';

/** Names of the counters, in the order of docs/reference/policy-client.md#client-counters. */
export const CLIENT_COUNTERS = [
  'total_check_calls',
  'total_check_cache_hits',
  'total_check_cache_misses',
  'total_check_cache_hit_accepts',
  'total_check_cache_hit_denies',
  'total_remote_check_calls',
  'total_remote_check_accepts',
  'total_remote_check_denies',
  'total_quota_calls',
  'total_quota_cache_hits',
  'total_quota_cache_misses',
  'total_quota_cache_hit_accepts',
  'total_quota_cache_hit_denies',
  'total_remote_quota_calls',
  'total_remote_quota_accepts',
  'total_remote_quota_denies',
  'total_remote_quota_prefetch_calls',
  'total_remote_calls',
  'total_remote_call_successes',
  'total_remote_call_timeouts',
  'total_remote_call_send_errors',
  'total_remote_call_other_errors',
  'total_remote_call_retries',
  'total_remote_call_cancellations',
  'total_report_calls',
  'total_remote_report_calls',
  'total_remote_report_successes',
  'total_remote_report_timeouts',
  'total_remote_report_send_errors',
  'total_remote_report_other_errors',
] as const;

export type ClientCounter = (typeof CLIENT_COUNTERS)[number];

/** Values of all counters at one moment. */
export type ClientStatisticsSnapshot = Readonly<Record<ClientCounter, number>>;

/** The counters of a client since its creation. */
export interface ClientStatistics {
  increment(counter: ClientCounter): void;
  snapshot(): ClientStatisticsSnapshot;
}

export function createClientStatistics(): ClientStatistics {
  const values = Object.fromEntries(CLIENT_COUNTERS.map((name) => [name, 0])) as Record<ClientCounter, number>;
  return {
    increment: (counter) => {
      values[counter]++;
    },
    snapshot: () => ({ ...values }),
  };
}

/** `statsUpdateInterval` of docs/reference/policy-client.md#transportconfig. */
export const DEFAULT_STATS_UPDATE_INTERVAL_MS = 10_000;

export interface StatisticsUpdatesOptions {
  readonly statistics: ClientStatistics;
  readonly intervalMs: number;
  readonly clock: Clock;
  /** Does not throw. */
  readonly publish: (snapshot: ClientStatisticsSnapshot) => void;
}

/** Publishes a snapshot every interval. The returned function publishes the last one and stops. */
export function startStatisticsUpdates({
  statistics,
  intervalMs,
  clock,
  publish,
}: StatisticsUpdatesOptions): () => void {
  let cancel = (): void => {};
  const update = (): void => {
    publish(statistics.snapshot());
    cancel = clock.schedule(intervalMs, update);
  };
  cancel = clock.schedule(intervalMs, update);
  return () => {
    cancel();
    publish(statistics.snapshot());
  };
}
