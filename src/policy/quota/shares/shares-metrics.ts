import type { Metrics } from '../../../telemetry/metrics.js';

/** Why a policy server makes a proxy forget a bucket: no request for a while, or too many buckets. */
export type AbandonReason = 'idle' | 'limit';

/** Metrics of fast quotas. Quota names come from the configuration. */
export interface SharesMetrics {
  /** Requests that a proxy has counted. */
  counted(quota: string, allowed: number, denied: number): void;
  assigned(): void;
  abandoned(reason: AbandonReason): void;
  /** Buckets of all proxies. */
  buckets(count: number): void;
  proxies(count: number): void;
}

export function createSharesMetrics(metrics: Metrics): SharesMetrics {
  return {
    counted: (quota, allowed, denied) => {
      if (allowed > 0) metrics.increment('policy_server_fast_requests_total', { quota, result: 'allowed' }, allowed);
      if (denied > 0) metrics.increment('policy_server_fast_requests_total', { quota, result: 'refused' }, denied);
    },
    assigned: () => metrics.increment('policy_server_fast_assignments_total'),
    abandoned: (reason) => metrics.increment('policy_server_fast_abandoned_buckets_total', { reason }),
    buckets: (count) => metrics.set('policy_server_fast_buckets', count),
    proxies: (count) => metrics.set('policy_server_fast_proxies', count),
  };
}
