import { counter } from './family.js';

/** Families of rejected callers. */
export const accessFamilies = {
  nav_tls_refused_connections: counter('TLS connections that failed: handshake, timeout or certificate.'),
  nav_grpc_limits_reached: counter(
    'Times that a peer of a gRPC listener reached a limit, by limit; its call or connection was ended.',
    'limit',
  ),
  nav_xds_refused_streams: counter(
    'Streams refused on the secured listener, by reason (authentication, authorization).',
    'reason',
  ),
  ca_server_csr_shed_count: counter(
    'Certificate requests that were not signed because too many came, by reason (queue full, waited too long).',
    'reason',
  ),
  nav_token_reviews_shed: counter(
    'Callers whose tokens were not reviewed, by reason (queue full, waited too long, address blocked).',
    'reason',
  ),
} as const;

/** Families of the HTTP and HTTPS listeners. */
export const httpFamilies = {
  nav_http_refused_total: counter(
    'HTTP connections and requests that a limit ended, by listener and limit.',
    'listener',
    'reason',
  ),
} as const;
