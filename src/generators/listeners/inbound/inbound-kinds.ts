import type { FilterChainMatch } from '../../../generated/envoy/config/listener/v3/FilterChainMatch.js';
import type { MutualTlsMode } from '../../../model/security/mutual-tls.js';
import { HTTP_SERVER_PROTOCOLS, MESH_HTTP, MESH_TCP } from '../../security/mesh-protocols.js';
import type { TrafficClass } from '../../traffic-class.js';
import { plaintextHttpProtocols } from '../connection-match.js';

/** One kind of connections to a port, and how they are served. */
export interface InboundKind {
  /** Unique among the kinds of a port. `tls` is the own TLS of a workload, which the proxy cannot read. */
  readonly label: 'http' | 'tcp' | 'mtls-http' | 'mtls-tcp' | 'tls';
  readonly as: 'http' | 'tcp';
  readonly isMutualTls: boolean;
  /** The condition that distinguishes it from the other kinds, beside the port. */
  readonly match: FilterChainMatch;
}

export type InboundTraffic = Exclude<TrafficClass, 'none'>;

/**
 * The kinds of connections that a port takes; others are closed. Envoy selects chains by transport protocol first, then
 * by application protocol, without backtracking: if one chain names a transport protocol, all must.
 */
export function inboundKinds(traffic: InboundTraffic, mode: MutualTlsMode, http10: boolean): readonly InboundKind[] {
  switch (mode) {
    case 'DISABLE':
      return plaintextKinds(traffic, http10, traffic === 'sniffed' ? RAW : {});
    case 'PERMISSIVE':
      return [
        ...(traffic === 'sniffed'
          ? [mutualTls('http', tls(MESH_HTTP)), mutualTls('tcp', tls(MESH_TCP))]
          : [mutualTls(asOf(traffic), tls(MESH_HTTP, MESH_TCP))]),
        // A port declared as HTTP takes no other TLS: its requests would bypass the filters that act on HTTP.
        ...(traffic === 'http' ? [] : [OWN_TLS]),
        ...plaintextKinds(traffic, http10, RAW),
      ];
    case 'STRICT':
      return traffic === 'sniffed'
        ? [
            mutualTls('http', tls(MESH_HTTP, ...HTTP_SERVER_PROTOCOLS, ...(http10 ? ['http/1.0'] : []))),
            mutualTls('tcp', tls()),
          ]
        : [mutualTls(asOf(traffic), tls())];
  }
}

const RAW: FilterChainMatch = { transportProtocol: 'raw_buffer' };
const OWN_TLS: InboundKind = { label: 'tls', as: 'tcp', isMutualTls: false, match: tls() };

function plaintextKinds(traffic: InboundTraffic, http10: boolean, match: FilterChainMatch): readonly InboundKind[] {
  if (traffic !== 'sniffed') return [plaintext(asOf(traffic), match)];
  const http = { ...match, applicationProtocols: plaintextHttpProtocols(http10) };
  return [plaintext('http', http), plaintext('tcp', match)];
}

function plaintext(as: InboundKind['as'], match: FilterChainMatch): InboundKind {
  return { label: as, as, isMutualTls: false, match };
}

function mutualTls(as: InboundKind['as'], match: FilterChainMatch): InboundKind {
  return { label: `mtls-${as}`, as, isMutualTls: true, match };
}

function tls(...applicationProtocols: string[]): FilterChainMatch {
  const match: FilterChainMatch = { transportProtocol: 'tls' };
  return applicationProtocols.length === 0 ? match : { ...match, applicationProtocols };
}

function asOf(traffic: Exclude<InboundTraffic, 'sniffed'>): InboundKind['as'] {
  return traffic === 'http' ? 'http' : 'tcp';
}
