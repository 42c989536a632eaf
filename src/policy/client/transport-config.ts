import { parseDurationNs } from '../../base/parse-duration.js';
import type { NetworkFailPolicy, TransportConfig as TransportFields } from '../../config/policy/transport-config.js';
import { DEFAULT_STATS_UPDATE_INTERVAL_MS } from './client-statistics.js';
import { DEFAULT_REPORT_BATCH_MAX_ENTRIES, DEFAULT_REPORT_BATCH_MAX_TIME_MS } from './report-batch.js';

const NANOSECONDS_PER_SECOND = 1_000_000_000n;
const MAX_WHOLE_SECONDS = 24n * 60n * 60n;

/**
 * Reads a duration of the client's configuration (docs/reference/policy-client.md#retries). Whole seconds are limited
 * to 24 hours. Missing, zero and negative durations mean the default.
 *
 * @param text such as `1.5s`
 * @returns milliseconds
 * @throws DurationSyntaxError
 */
export function clientDurationMs(text: string | undefined, defaultMs: number): number {
  const nanoseconds = text === undefined ? 0n : parseDurationNs(text);
  if (nanoseconds <= 0n) return defaultMs;
  const seconds = nanoseconds / NANOSECONDS_PER_SECOND;
  const capped = seconds < MAX_WHOLE_SECONDS ? seconds : MAX_WHOLE_SECONDS;
  return Number(capped) * 1000 + Number(nanoseconds % NANOSECONDS_PER_SECOND) / 1e6;
}

/**
 * NetworkFailPolicy as it is written, with or without the defaults of its schema
 * (docs/reference/policy-client.md#networkfailpolicy).
 */
export type NetworkFailPolicyConfig = Partial<NetworkFailPolicy>;

/** NetworkFailPolicy ready for use. */
export interface ResolvedFailPolicy {
  /** Whether requests pass or are refused when the policy server gives no answer. */
  readonly policy: NetworkFailPolicy['policy'];
  readonly maxRetry: number;
  readonly baseRetryWaitMs: number;
  readonly maxRetryWaitMs: number;
}

const DEFAULT_BASE_RETRY_WAIT_MS = 80;
const DEFAULT_MAX_RETRY_WAIT_MS = 1000;

/**
 * The fail policy of a service: its own, else the mesh's, else FAIL_OPEN without retries. The policy of a service
 * replaces the mesh's as a whole; members that it leaves out have their defaults
 * (docs/reference/policy-client.md#serviceconfig, docs/reference/policy-client.md#transportconfig).
 *
 * @throws DurationSyntaxError for an invalid wait, which validation has excluded
 */
export function resolveNetworkFailPolicy(
  mesh: NetworkFailPolicyConfig | undefined,
  service?: NetworkFailPolicyConfig,
): ResolvedFailPolicy {
  const { policy = 'FAIL_OPEN', maxRetry = 0, baseRetryWait, maxRetryWait } = service ?? mesh ?? {};
  return {
    policy,
    maxRetry,
    baseRetryWaitMs: clientDurationMs(baseRetryWait, DEFAULT_BASE_RETRY_WAIT_MS),
    maxRetryWaitMs: clientDurationMs(maxRetryWait, DEFAULT_MAX_RETRY_WAIT_MS),
  };
}

/**
 * TransportConfig as it is written, with or without the defaults of its schema
 * (docs/reference/policy-client.md#transportconfig).
 */
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
 * Applies the defaults of docs/reference/policy-client.md#transportconfig and docs/reference/policy-client.md.
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

/**
 * How long to wait before the next attempt: uniform between the base wait and `base · 2^retries`, never above the
 * maximum (docs/reference/policy-client.md#networkfailpolicy; docs/reference/policy-client.md#retries). The first retry
 * therefore waits for the base wait exactly. A maximum below the base wins.
 *
 * @param retries how many retries were made before, from 0
 * @param random uniform in [0, 1)
 * @returns milliseconds
 */
export function retryDelayMs(
  retries: number,
  { baseRetryWaitMs, maxRetryWaitMs }: Pick<ResolvedFailPolicy, 'baseRetryWaitMs' | 'maxRetryWaitMs'>,
  random: () => number,
): number {
  const longest = Math.min(maxRetryWaitMs, baseRetryWaitMs * 2 ** retries);
  const shortest = Math.min(baseRetryWaitMs, longest);
  return shortest + random() * (longest - shortest);
}
