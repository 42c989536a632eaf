import type { TransportConfig as TransportFields } from '../../config/policy/transport-config.js';
import { clientDurationMs } from './client-duration.js';
import type { NetworkFailPolicyConfig } from './network-fail-policy.js';
import { DEFAULT_REPORT_BATCH_MAX_ENTRIES, DEFAULT_REPORT_BATCH_MAX_TIME_MS } from './report-batch.js';
import { DEFAULT_STATS_UPDATE_INTERVAL_MS } from './statistics-updates.js';

/** TransportConfig as it is written, with or without the defaults of its schema (SPEC 2.12). */
export type TransportConfig = Partial<Omit<TransportFields, 'networkFailPolicy'>> & {
  /** FAIL_OPEN without retries unless given. */
  readonly networkFailPolicy?: NetworkFailPolicyConfig;
};

/** When reports are sent and statistics published. */
export interface TransportTiming {
  readonly statsUpdateIntervalMs: number;
  readonly reportBatchMaxEntries: number;
  readonly reportBatchMaxTimeMs: number;
}

/**
 * Applies the defaults of SPEC 2.12 and BEHAVIOUR 6.
 *
 * @throws DurationSyntaxError when a duration cannot be read; validated configuration does not get here
 */
export function readTransportTiming(config: TransportConfig): TransportTiming {
  const maxEntries = config.reportBatchMaxEntries || DEFAULT_REPORT_BATCH_MAX_ENTRIES;
  return {
    statsUpdateIntervalMs: clientDurationMs(config.statsUpdateInterval, DEFAULT_STATS_UPDATE_INTERVAL_MS),
    reportBatchMaxEntries: config.disableReportBatch ? 1 : maxEntries,
    reportBatchMaxTimeMs: clientDurationMs(config.reportBatchMaxTime, DEFAULT_REPORT_BATCH_MAX_TIME_MS),
  };
}
