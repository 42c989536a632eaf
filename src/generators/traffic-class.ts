import type { Protocol } from '../model/service.js';

/**
 * How a proxy routes the connections of a port: `http` by request, `sniffed` as HTTP or TCP by the first bytes, `tls`
 * by server name, `tcp` as bytes, `none` not at all (docs/reference/xds.md#protocol-selection).
 */
export type TrafficClass = 'http' | 'sniffed' | 'tls' | 'tcp' | 'none';

/** @param sniff whether ports of unknown protocol are sniffed (NAV_ENABLE_PROTOCOL_SNIFFING_FOR_…) */
export function trafficClass(protocol: Protocol, sniff: boolean): TrafficClass {
  switch (protocol) {
    case 'http':
    case 'http2':
    case 'grpc':
    case 'grpc-web':
      return 'http';
    case 'https':
    case 'tls':
      return 'tls';
    case 'tcp':
    case 'mongo':
    case 'redis':
    case 'mysql':
    case 'thrift':
      return 'tcp';
    case 'auto':
      return sniff ? 'sniffed' : 'tcp';
    case 'udp':
      return 'none';
  }
}
