import { duration } from '../../envoy/durations.js';
import type { MessageEncoder, PackedAny } from '../../envoy/message-encoder.js';
import type { Cluster } from '../../generated/envoy/config/cluster/v3/Cluster.js';
import type { HttpProtocolOptions } from '../../generated/envoy/extensions/upstreams/http/v3/HttpProtocolOptions.js';
import type { Protocol } from '../../model/protocol.js';

const EXTENSION = 'envoy.extensions.upstreams.http.v3.HttpProtocolOptions';
const TYPE_URL = `type.googleapis.com/${EXTENSION}`;

/** Connections that nobody uses any more are closed after this long where Envoy's own hour is too much. */
const PASSTHROUGH_IDLE_TIMEOUT_MS = 300_000;

type ProtocolFields = Pick<Cluster, 'typedExtensionProtocolOptions'>;

/** How HTTP is spoken to a cluster; fields to spread into it. */
export interface UpstreamProtocols {
  /** HTTP/2 always. */
  readonly http2: ProtocolFields;
  /** Whatever the client spoke: HTTP/1.1 or HTTP/2. */
  readonly downstream: ProtocolFields;
  /** The same for destinations that are not known beforehand, whose connections are given up sooner. */
  readonly passthrough: ProtocolFields;
  /** HTTP/1.1, Envoy's default, or no HTTP at all. */
  readonly none: ProtocolFields;
}

/** Encodes the options once: they are part of most clusters. */
export function createUpstreamProtocols(encoder: MessageEncoder): UpstreamProtocols {
  const fields = (options: HttpProtocolOptions): ProtocolFields => {
    const packed: PackedAny = encoder.packAny(TYPE_URL, options);
    return { typedExtensionProtocolOptions: { [EXTENSION]: packed } };
  };
  const useDownstreamProtocolConfig = { httpProtocolOptions: {}, http2ProtocolOptions: {} };
  return {
    http2: fields({ explicitHttpConfig: { http2ProtocolOptions: {} } }),
    downstream: fields({ useDownstreamProtocolConfig }),
    passthrough: fields({
      commonHttpProtocolOptions: { idleTimeout: duration(PASSTHROUGH_IDLE_TIMEOUT_MS) },
      useDownstreamProtocolConfig,
    }),
    none: {},
  };
}

/** @param sniff whether ports of unknown protocol are sniffed, so that both versions of HTTP may arrive */
export function protocolsOfPort(protocol: Protocol, sniff: boolean): keyof UpstreamProtocols {
  switch (protocol) {
    case 'http2':
    case 'grpc':
    case 'grpc-web':
      return 'http2';
    case 'auto':
      return sniff ? 'downstream' : 'none';
    case 'http':
    case 'https':
    case 'tls':
    case 'tcp':
    case 'udp':
    case 'mongo':
    case 'redis':
    case 'mysql':
    case 'thrift':
      return 'none';
  }
}
