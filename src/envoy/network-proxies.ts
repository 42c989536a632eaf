import type { AccessLog } from '../generated/envoy/config/accesslog/v3/AccessLog.js';
import type { ConfigSource } from '../generated/envoy/config/core/v3/ConfigSource.js';
import type { RedisProxy } from '../generated/envoy/extensions/filters/network/redis_proxy/v3/RedisProxy.js';
import type { TcpProxy } from '../generated/envoy/extensions/filters/network/tcp_proxy/v3/TcpProxy.js';
import type { ThriftProxy } from '../generated/envoy/extensions/filters/network/thrift_proxy/v3/ThriftProxy.js';
import { duration } from './durations.js';
import { ON_DEMAND_TIMEOUT_MS } from './http-filters.js';
import { frameField, type MessageEncoder } from './message-encoder.js';
import type { TypedFilter } from './typed-filter.js';

/** A TCP proxy to one cluster, or to several by weight. */
export interface TcpProxyOptions {
  readonly statPrefix: string;
  /** At least one. */
  readonly clusters: readonly { readonly name: string; readonly weight: number }[];
  /** Whether connections of one source address go to the same endpoint of a cluster with a consistent hash. */
  readonly hashesSourceAddress?: boolean;
  readonly accessLogs: readonly AccessLog[];
  /**
   * Interval of log entries of an open connection; each connection is also logged when it begins and ends. Undefined to
   * log only ends.
   */
  readonly intervalMs?: number;
  /** Close connections without traffic after this time; undefined for Envoy's default of one hour, 0 for never. */
  readonly idleTimeoutMs: number | undefined;
  /** Where the proxy asks for a cluster that it does not have, while the connection waits. Default: it does not ask. */
  readonly onDemandClusters?: ConfigSource | undefined;
}

const TCP_PROXY = 'type.googleapis.com/envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy';

/** The network filter that passes the bytes of a connection to a cluster. */
export function buildTcpProxy(encoder: MessageEncoder, options: TcpProxyOptions): TypedFilter {
  const config: TcpProxy = {
    statPrefix: options.statPrefix,
    ...clusterFields(options.clusters),
    ...(options.hashesSourceAddress === true ? { hashPolicy: [{ sourceIp: {} }] } : {}),
    ...(options.onDemandClusters === undefined
      ? {}
      : { onDemand: { odcdsConfig: options.onDemandClusters, timeout: duration(ON_DEMAND_TIMEOUT_MS) } }),
    accessLog: [...options.accessLogs],
    ...(options.intervalMs === undefined
      ? {}
      : {
          accessLogOptions: {
            accessLogFlushInterval: duration(options.intervalMs),
            flushAccessLogOnConnected: true,
          },
        }),
    idleTimeout: options.idleTimeoutMs === undefined ? null : duration(options.idleTimeoutMs),
  };
  return { name: 'envoy.filters.network.tcp_proxy', typedConfig: encoder.packAny(TCP_PROXY, config) };
}

function clusterFields(clusters: TcpProxyOptions['clusters']): Pick<TcpProxy, 'cluster' | 'weightedClusters'> {
  const [first] = clusters;
  return clusters.length === 1 && first !== undefined
    ? { cluster: first.name }
    : { weightedClusters: { clusters: clusters.map(({ name, weight }) => ({ name, weight })) } };
}

const REDIS_PROXY = 'type.googleapis.com/envoy.extensions.filters.network.redis_proxy.v3.RedisProxy';
const COMMAND_TIMEOUT_MS = 5000;

/** The network filter that speaks the Redis protocol and sends every key to one cluster. */
export function buildRedisProxy(encoder: MessageEncoder, statPrefix: string, cluster: string): TypedFilter {
  const config: RedisProxy = {
    statPrefix,
    settings: { opTimeout: duration(COMMAND_TIMEOUT_MS) },
    prefixRoutes: { catchAllRoute: { cluster } },
    latencyInMicros: true,
  };
  return { name: 'envoy.filters.network.redis_proxy', typedConfig: encoder.packAny(REDIS_PROXY, config) };
}

const THRIFT_PROXY = 'type.googleapis.com/envoy.extensions.filters.network.thrift_proxy.v3.ThriftProxy';

/** The network filter that speaks Thrift with any transport and protocol, and sends every call to one cluster. */
export function buildThriftProxy(encoder: MessageEncoder, statPrefix: string, cluster: string): TypedFilter {
  const config: ThriftProxy = {
    statPrefix,
    transport: 'AUTO_TRANSPORT',
    protocol: 'AUTO_PROTOCOL',
    routeConfig: { name: statPrefix, routes: [{ match: { methodName: '' }, route: { cluster } }] },
  };
  return { name: 'envoy.filters.network.thrift_proxy', typedConfig: encoder.packAny(THRIFT_PROXY, config) };
}

const MYSQL_PROXY = 'type.googleapis.com/envoy.extensions.filters.network.mysql_proxy.v3.MySQLProxy';
/** The field `stat_prefix`. */
const MYSQL_STAT_PREFIX = 1;

/**
 * The network filter that reads the MySQL protocol for statistics and metadata. The definition of its message is not among
 * those of stock Envoy, so it is encoded here.
 */
export function buildMysqlProxy(statPrefix: string): TypedFilter {
  const value = frameField(MYSQL_STAT_PREFIX, Buffer.from(statPrefix));
  return { name: 'envoy.filters.network.mysql_proxy', typedConfig: { type_url: MYSQL_PROXY, value } };
}
