import { duration } from '../../envoy/durations.js';
import type { MessageEncoder, PackedAny } from '../../envoy/message-encoder.js';
import type { Cluster } from '../../generated/envoy/config/cluster/v3/Cluster.js';
import type { HttpProtocolOptions } from '../../generated/envoy/extensions/upstreams/http/v3/HttpProtocolOptions.js';
import type { Protocol } from '../../model/service.js';
import type { ConnectionPool } from '../../model/traffic/cluster-policy.js';
import type { ServiceCluster } from '../../model/traffic/mesh-traffic.js';

const EXTENSION = 'envoy.extensions.upstreams.http.v3.HttpProtocolOptions';
const TYPE_URL = `type.googleapis.com/${EXTENSION}`;

/** Idle connections to destinations that are not known beforehand are closed sooner than Envoy's default of an hour. */
const PASSTHROUGH_IDLE_TIMEOUT_MS = 300_000;

type ProtocolFields = Pick<Cluster, 'typedExtensionProtocolOptions'>;

/**
 * The HTTP version of requests to a cluster: `http2` always, `downstream` the version of the caller's request, `none`
 * HTTP/1.1, which is Envoy's default, or no HTTP at all.
 */
export type UpstreamProtocol = 'http2' | 'downstream' | 'none';

/** Limits of HTTP connections to a cluster. */
type HttpLimits = Pick<ConnectionPool, 'idleTimeoutMs' | 'maxRequestsPerConnection'>;

/** The HTTP options of clusters; fields to spread into them. */
export interface UpstreamProtocols {
  of(protocol: UpstreamProtocol, limits?: HttpLimits): ProtocolFields;
  /** For destinations that are not known beforehand. */
  readonly passthrough: ProtocolFields;
}

/** Encodes options without limits once: they are part of most clusters. */
export function createUpstreamProtocols(encoder: MessageEncoder): UpstreamProtocols {
  const fields = (options: HttpProtocolOptions): ProtocolFields => {
    const packed: PackedAny = encoder.packAny(TYPE_URL, options);
    return { typedExtensionProtocolOptions: { [EXTENSION]: packed } };
  };
  const unlimited: Readonly<Record<UpstreamProtocol, ProtocolFields>> = {
    http2: fields(VERSIONS.http2),
    downstream: fields(VERSIONS.downstream),
    none: {},
  };
  const limited = (protocol: UpstreamProtocol, { idleTimeoutMs, maxRequestsPerConnection }: HttpLimits) =>
    fields({
      commonHttpProtocolOptions: {
        ...(idleTimeoutMs === undefined ? {} : { idleTimeout: duration(idleTimeoutMs) }),
        ...(maxRequestsPerConnection === undefined
          ? {}
          : { maxRequestsPerConnection: { value: maxRequestsPerConnection } }),
      },
      ...VERSIONS[protocol],
    });
  return {
    of: (protocol, limits = {}) =>
      limits.idleTimeoutMs === undefined && limits.maxRequestsPerConnection === undefined
        ? unlimited[protocol]
        : limited(protocol, limits),
    passthrough: limited('downstream', { idleTimeoutMs: PASSTHROUGH_IDLE_TIMEOUT_MS }),
  };
}

const VERSIONS: Readonly<Record<UpstreamProtocol, HttpProtocolOptions>> = {
  http2: { explicitHttpConfig: { http2ProtocolOptions: {} } },
  downstream: { useDownstreamProtocolConfig: { httpProtocolOptions: {}, http2ProtocolOptions: {} } },
  none: { explicitHttpConfig: { httpProtocolOptions: {} } },
};

/** @param sniff whether ports of unknown protocol are sniffed, so that both versions of HTTP may arrive */
export function protocolsOfPort(protocol: Protocol, sniff: boolean): UpstreamProtocol {
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

/** @param sniff as above */
export function protocolOfCluster({ port, policy }: ServiceCluster, sniff: boolean): UpstreamProtocol {
  return policy.connections.upgradesToHttp2 ? 'http2' : protocolsOfPort(port.protocol, sniff);
}
