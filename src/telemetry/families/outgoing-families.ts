import { counter } from './family.js';

/** Families of the calls of this process to other servers (docs/reference/metrics.md). */
export const outgoingFamilies = {
  num_failed_outgoing_requests: counter(
    'Failed outgoing requests (for example to a token exchange server or CA).',
    'request_type',
  ),
  num_outgoing_requests: counter('Total outgoing requests.', 'request_type'),
  num_outgoing_retries: counter('Outgoing retry requests.', 'request_type'),
  outgoing_latency: counter('Latency of outgoing requests, milliseconds.', 'request_type'),
} as const;
