import { counter, gauge } from './family.js';

/** Families of the quotas that the policy server counts. Labels come from configuration. */
export const policyQuotaFamilies = {
  policy_server_quota_charges_total: counter(
    'Charges by quota: granted, partial, refused, or withheld because another quota of the request refused.',
    'quota',
    'result',
  ),
  policy_server_quota_evicted_counters_total: counter(
    'Counters evicted before their window expired, because a quota had storage.maxCounters of them.',
    'quota',
  ),
  policy_server_quota_unknown_keys_total: counter(
    'Requests refused because the quota does not list their key.',
    'quota',
  ),
  policy_server_quota_undefined_charges_total: counter('Charges granted to quotas without a configured limit.'),
  policy_server_store_errors_total: counter(
    'Requests whose quotas could not be counted: timeout, send or other.',
    'store',
    'failure',
  ),
  policy_server_unshared_replicas: gauge(
    'Replicas of the policy server that each count quotas in their own memory, if there are several; else 0.',
  ),
  policy_server_store_up: gauge('Whether the store of quotas is reachable.', 'store'),
} as const;
