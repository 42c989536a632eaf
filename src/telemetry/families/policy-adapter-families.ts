import { counter, gauge } from './family.js';

/** Families of adapters of one's own (docs/adapters.md), and of those that make metrics, by key of the handler. */
export const policyAdapterFamilies = {
  policy_adapter_connected: gauge('1 while there is a connection to the adapter of the handler, else 0.', 'handler'),
  policy_adapter_reports_lost_total: counter(
    'Reports that the adapter did not take: it refused them, was away for too long, or too many waited for it.',
    'handler',
  ),
  policy_adapter_series_refused_total: counter(
    'Values that the adapter prometheus did not record, because the handler has too many time series.',
    'handler',
  ),
  policy_adapter_reports_sent_total: counter('Reports that the adapter has taken.', 'handler'),
} as const;
