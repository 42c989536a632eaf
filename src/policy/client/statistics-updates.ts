import type { Clock } from '../../base/clock.js';
import type { ClientStatistics, ClientStatisticsSnapshot } from './client-statistics.js';

/** `statsUpdateInterval` of SPEC 2.12. */
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
