import type { MeshConfig } from '../../config/mesh/mesh-config.js';
import { buildFileAccessLog } from '../../envoy/access-log.js';
import { adsConfigSource } from '../../envoy/config-source.js';
import { buildHttpConnectionManager } from '../../envoy/http-connection-manager.js';
import { corsFilter, faultFilter, grpcStatsFilter, grpcWebFilter, routerFilter } from '../../envoy/http-filters.js';
import type { MessageEncoder } from '../../envoy/message-encoder.js';
import { buildRedisProxy } from '../../envoy/redis-proxy.js';
import { buildTcpProxy } from '../../envoy/tcp-proxy.js';
import { buildThriftProxy } from '../../envoy/thrift-proxy.js';
import type { TypedFilter } from '../../envoy/typed-filter.js';
import { buildZipkinTracing } from '../../envoy/zipkin-tracing.js';
import type { Filter } from '../../generated/envoy/config/listener/v3/Filter.js';
import type { RouteConfiguration } from '../../generated/envoy/config/route/v3/RouteConfiguration.js';
import type { HttpFilter } from '../../generated/envoy/extensions/filters/network/http_connection_manager/v3/HttpFilter.js';
import type { Protocol } from '../../model/protocol.js';
import type { GeneratorSettings } from '../settings.js';
import type { HttpFilterPlugin } from './http-filter-plugin.js';
import type { ListenerFacts } from './listener-facts.js';

/** What an HTTP chain is for. */
interface HttpChainOptions {
  readonly statPrefix: string;
  /** Some service behind it speaks gRPC-Web. */
  readonly grpcWeb: boolean;
}

/** What a chain of bytes is for. */
interface TcpChainOptions {
  readonly cluster: string;
  /** Default: the cluster's name. */
  readonly statPrefix?: string;
  /** Protocol of the port, where it may have a filter of its own. */
  readonly protocol?: Protocol;
}

/** Makes the network filters of all listeners, so that they agree on logs, tracing, timeouts and filter order. */
export interface FilterFactory {
  /** @param routeName of the table that the proxy asks for. */
  outboundHttp(
    mesh: MeshConfig,
    facts: ListenerFacts,
    options: HttpChainOptions & { readonly routeName: string; readonly forwardProxy?: boolean },
  ): Filter;
  inboundHttp(
    mesh: MeshConfig,
    facts: ListenerFacts,
    options: HttpChainOptions & { readonly routes: RouteConfiguration },
  ): Filter;
  /** The filter for a cluster of a port that is not served as HTTP. */
  tcp(mesh: MeshConfig, facts: ListenerFacts, options: TcpChainOptions): Filter;
}

type Direction = 'inbound' | 'outbound';

/** How inbound HTTP servers name themselves (the `server` response header). */
const INBOUND_SERVER_NAME = 'mesh-envoy';

export function createFilterFactory(
  encoder: MessageEncoder,
  settings: GeneratorSettings,
  plugins: readonly HttpFilterPlugin[],
): FilterFactory {
  const configSource = adsConfigSource(settings.initialFetchTimeoutMs);

  // BEHAVIOUR 5, "HTTP connection manager": plugins, grpc_web, grpc_stats, cors, fault, router. The alpn filter
  // between grpc_stats and cors exists in custom proxies only.
  const buildHttpFilters = (direction: Direction, grpcWeb: boolean): HttpFilter[] => [
    ...plugins.flatMap((plugin) => plugin.httpFilters(direction)),
    ...(grpcWeb ? [grpcWebFilter(encoder)] : []),
    grpcStatsFilter(encoder),
    corsFilter(encoder),
    faultFilter(encoder),
    routerFilter(encoder),
  ];
  // None of them depends on the mesh or the chain, so that each is encoded once.
  const httpFilters = {
    inbound: { plain: buildHttpFilters('inbound', false), grpcWeb: buildHttpFilters('inbound', true) },
    outbound: { plain: buildHttpFilters('outbound', false), grpcWeb: buildHttpFilters('outbound', true) },
  };

  const accessLogs = (mesh: MeshConfig): TypedFilter[] => {
    if (mesh.accessLogFile === '') return [];
    const { accessLogFile: path, accessLogFormat: format, accessLogEncoding: encoding } = mesh;
    return [buildFileAccessLog(encoder, { path, format, encoding })];
  };

  const common = (mesh: MeshConfig, facts: ListenerFacts) => ({
    accessLogs: accessLogs(mesh),
    idleTimeoutMs: facts.idleTimeoutMs,
    tracing:
      facts.tracing === undefined
        ? undefined
        : buildZipkinTracing(encoder, {
            collectorCluster: facts.tracing.cluster,
            collectorHostname: facts.tracing.hostname,
            randomSamplingPercent: settings.traceSamplingPercent,
          }),
  });

  return {
    outboundHttp: (mesh, facts, { statPrefix, grpcWeb, routeName, forwardProxy = false }) =>
      buildHttpConnectionManager(encoder, {
        ...common(mesh, facts),
        statPrefix,
        routes: { name: routeName, configSource },
        httpFilters: grpcWeb ? httpFilters.outbound.grpcWeb : httpFilters.outbound.plain,
        useRemoteAddress: settings.sidecarUseRemoteAddress,
        acceptHttp10: settings.http10 || facts.http10,
        allowAbsoluteUrl: forwardProxy,
      }),
    inboundHttp: (mesh, facts, { statPrefix, grpcWeb, routes }) =>
      buildHttpConnectionManager(encoder, {
        ...common(mesh, facts),
        statPrefix,
        routes: { inline: routes },
        httpFilters: grpcWeb ? httpFilters.inbound.grpcWeb : httpFilters.inbound.plain,
        useRemoteAddress: false,
        acceptHttp10: facts.http10,
        inboundServerName: INBOUND_SERVER_NAME,
      }),
    tcp: (mesh, facts, { cluster, statPrefix = cluster, protocol }) => {
      if (protocol === 'redis' && settings.keyValueFilter) return buildRedisProxy(encoder, statPrefix, cluster);
      if (protocol === 'thrift' && settings.thriftFilter) return buildThriftProxy(encoder, statPrefix, cluster);
      const { idleTimeoutMs } = facts;
      return buildTcpProxy(encoder, { statPrefix, cluster, accessLogs: accessLogs(mesh), idleTimeoutMs });
    },
  };
}
