import { DNS_SECONDS } from './buckets.js';
import { counter, gauge, histogram } from './family.js';

/** Families of the DNS listener (docs/dns.md). */
export const dnsFamilies = {
  dns_tls_req: counter('DNS requests received over TLS.'),
  dns_tls_pending: gauge('DNS requests over TLS that wait for an answer.'),
  nav_dns_answers_total: counter(
    'DNS answers by response code and origin: mesh, cache, upstream, or the server itself (errors and refusals).',
    'source',
    'rcode',
  ),
  nav_dns_cache_bytes: gauge('Bytes of the cached responses of upstream DNS servers, as estimated.'),
  nav_dns_limits_reached_total: counter('Times that a DNS client reached a limit, by limit.', 'limit'),
  nav_dns_queries_total: counter('DNS queries received, by transport.', 'transport'),
  nav_dns_upstream_failures_total: counter(
    'Queries that an upstream DNS server did not answer, by reason: timeout, connection, forged responses, loop.',
    'reason',
  ),
  nav_dns_upstream_seconds: histogram('Seconds until upstream DNS servers answered or gave up.', DNS_SECONDS),
} as const;
