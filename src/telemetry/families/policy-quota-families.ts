import { counter, gauge } from './family.js';

/**
 * Families of the limits that the policy server counts: an addition to docs/reference/metrics.md. Labels come from
 * configuration.
 */
export const policyQuotaFamilies = {
  policy_server_quota_charges_total: counter(
    'Charges by quota: granted, partial, refused, or withheld because another quota of the request refused.',
    'quota',
    'result',
  ),
  policy_server_quota_evicted_counters_total: counter(
    'Counters that were forgotten before their window expired, because a quota had storage.maxCounters of them.',
    'quota',
  ),
  policy_server_quota_unknown_keys_total: counter(
    'Requests refused because their key is none of those that the quota lists.',
    'quota',
  ),
  policy_server_quota_undefined_charges_total: counter('Charges granted to quotas without a configured limit.'),
  policy_server_store_errors_total: counter(
    'Requests whose quotas could not be counted: timeout, send or other.',
    'store',
    'failure',
  ),
  policy_server_unshared_replicas: gauge(
    'Replicas of the policy server that count quotas in memory, each for itself, when there are several; else 0.',
  ),
  policy_server_store_up: gauge('Whether the store of quotas can be asked.', 'store'),
} as const;
