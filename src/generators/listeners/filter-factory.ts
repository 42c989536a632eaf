import type { MeshConfig } from '../../config/mesh/mesh-config.js';
import { buildFileAccessLog, onlyOfEndedConnections } from '../../envoy/access-log.js';
import { adsConfigSource } from '../../envoy/config-source.js';
import {
  buildCommonManagerFields,
  buildHttpConnectionManager,
  type CommonManagerFields,
  type CommonManagerOptions,
} from '../../envoy/http-connection-manager.js';
import {
  corsFilter,
  faultFilter,
  grpcStatsFilter,
  grpcWebFilter,
  onDemandFilter,
  routerFilter,
  upstreamProtocolsFilter,
} from '../../envoy/http-filters.js';
import type { MessageEncoder } from '../../envoy/message-encoder.js';
import {
  buildMysqlProxy,
  buildRedisProxy,
  buildTcpProxy,
  buildThriftProxy,
  type TcpProxyOptions,
} from '../../envoy/network-proxies.js';
import type { TypedFilter } from '../../envoy/typed-filter.js';
import { buildZipkinTracing } from '../../envoy/zipkin-tracing.js';
import type { Filter } from '../../generated/envoy/config/listener/v3/Filter.js';
import type { RouteConfiguration } from '../../generated/envoy/config/route/v3/RouteConfiguration.js';
import type { HttpFilter } from '../../generated/envoy/extensions/filters/network/http_connection_manager/v3/HttpFilter.js';
import { createMemo } from '../../model/memo.js';
import type { Proxy } from '../../model/proxy.js';
import type { PushContext } from '../../model/push-context.js';
import type { Protocol } from '../../model/service.js';
import type { ConnectionAction } from '../../model/traffic/connection-route.js';
import type { RouteClusters } from '../destination-names.js';
import { FILTER_ORDER, type HttpFilterSlot } from '../plugins/filter-order.js';
import type { ChainDescription } from '../plugins/listener-plan.js';
import type { ListenerPlugin } from '../plugins/networking-plugin.js';
import { HTTP_CLIENT_PROTOCOLS } from '../security/mesh-protocols.js';
import type { GeneratorSettings } from '../settings.js';
import { clustersOf, serviceClusterOf } from './action-clusters.js';
import { type ListenerDependencies, listenerDependenciesOf } from './listener-dependencies.js';

/** What an HTTP chain is for. */
interface HttpChainOptions {
  readonly statPrefix: string;
  /** Whether a service of the chain uses gRPC-Web. */
  readonly grpcWeb: boolean;
}

/** A chain that passes bytes on. */
export interface TcpChainOptions {
  readonly direction: Direction;
  readonly action: ConnectionAction;
  /** Names of the clusters that the action leads to. */
  readonly clusters: RouteClusters;
  /** Default: the name of the first cluster. */
  readonly statPrefix?: string;
  /** Runs before the TCP proxy, and may choose another cluster. */
  readonly beforeProxy?: Filter;
  /** Protocol of the port, where it may have a filter of its own. */
  readonly protocol?: Protocol;
}

/** Makes the network filters of all listeners, so that they agree on logs, tracing, timeouts and filter order. */
export interface FilterFactory {
  /** The inputs of all filters of a proxy. */
  dependenciesOf(context: PushContext, proxy: Proxy): ListenerDependencies;
  /** @param routeName of the table that the proxy asks for. */
  outboundHttp(
    mesh: MeshConfig,
    dependencies: ListenerDependencies,
    options: HttpChainOptions & { readonly routeName: string; readonly forwardProxy?: boolean },
  ): Filter;
  /** @param serviceCluster the cluster of the routes, if it belongs to a service */
  inboundHttp(
    mesh: MeshConfig,
    dependencies: ListenerDependencies,
    options: HttpChainOptions & { readonly routes: RouteConfiguration; readonly serviceCluster: string | undefined },
  ): Filter;
  /** Requests of clients outside of the mesh, at a router. @param routeName of the table that the router asks for */
  gatewayHttp(
    mesh: MeshConfig,
    dependencies: ListenerDependencies,
    options: HttpChainOptions & { readonly routeName: string },
  ): Filter;
  /** The filters of connections that are not served as HTTP. */
  tcp(mesh: MeshConfig, dependencies: ListenerDependencies, options: TcpChainOptions): Filter[];
}

type Direction = ChainDescription['direction'];

/** The route decides which service a request is for. */
const OUTBOUND_HTTP: ChainDescription = { direction: 'outbound', serviceCluster: undefined };

const HTTP_ORDER = { inbound: 'inboundHttp', outbound: 'outboundHttp', gateway: 'gatewayHttp' } as const;

const GATEWAY_HTTP: ChainDescription = { direction: 'gateway', serviceCluster: undefined };

/** Dependencies whose common fields stay encoded, for each mesh config: fewer proxies differ in what their filters read. */
const MAX_COMMON_FIELDS = 128;

/** How servers of the mesh name themselves (the `server` response header). */
const SERVER_NAME = 'mesh-envoy';

export function createFilterFactory(
  encoder: MessageEncoder,
  settings: GeneratorSettings,
  plugins: readonly ListenerPlugin[],
): FilterFactory {
  const configSource = adsConfigSource(settings.initialFetchTimeoutMs);
  /** Each kind of listener asks for the dependencies of a proxy, one after another. */
  const newest = new WeakMap<PushContext, { readonly proxy: Proxy; readonly dependencies: ListenerDependencies }>();

  // They depend neither on the mesh nor on the chain: each is encoded once.
  const commonFilters: Readonly<Record<Exclude<HttpFilterSlot, 'plugins'>, HttpFilter>> = {
    onDemand: onDemandFilter(encoder, configSource),
    grpcWeb: grpcWebFilter(encoder),
    grpcStats: grpcStatsFilter(encoder),
    // Stock Envoy has this filter; custom proxies have an `alpn` filter of their own.
    alpn: upstreamProtocolsFilter(encoder, HTTP_CLIENT_PROTOCOLS),
    cors: corsFilter(encoder),
    fault: faultFilter(encoder),
    router: routerFilter(encoder),
  };

  const httpFilters = (
    { plans, sendsMutualTls, onDemand }: ListenerDependencies,
    chain: ChainDescription,
    grpcWeb: boolean,
  ): HttpFilter[] =>
    FILTER_ORDER[HTTP_ORDER[chain.direction]].flatMap((slot) => {
      if (slot === 'plugins') return plans.flatMap((plan) => plan.httpFilters(chain));
      const isLeftOut = (slot === 'grpcWeb' && !grpcWeb) || (slot === 'alpn' && !sendsMutualTls);
      return isLeftOut || (slot === 'onDemand' && !onDemand) ? [] : [commonFilters[slot]];
    });

  const fileAccessLogs = (mesh: MeshConfig): TypedFilter[] => {
    if (mesh.accessLogFile === '') return [];
    const { accessLogFile: path, accessLogFormat: format, accessLogEncoding: encoding } = mesh;
    return [buildFileAccessLog(encoder, { path, format, encoding })];
  };

  const tcpAccessLogs = (
    mesh: MeshConfig,
    { plans }: ListenerDependencies,
    direction: Direction,
  ): Pick<TcpProxyOptions, 'accessLogs' | 'intervalMs'> => {
    const files = fileAccessLogs(mesh);
    const added = plans.flatMap((plan) => plan.tcpAccessLogs(direction) ?? []);
    if (added.length === 0) return { accessLogs: files };
    // All logs of a TCP proxy share one interval. A file still gets one line for each connection, at its end.
    return {
      accessLogs: [...files.map(onlyOfEndedConnections), ...added.flatMap(({ logs }) => logs)],
      intervalMs: Math.min(...added.map(({ intervalMs }) => intervalMs)),
    };
  };

  const commonFields = createMemo<CommonManagerFields>(MAX_COMMON_FIELDS);
  const common = (
    mesh: MeshConfig,
    dependencies: ListenerDependencies,
    direction: Direction,
    own: Omit<CommonManagerOptions, 'accessLogs' | 'localReplies' | 'idleTimeoutMs' | 'tracing'>,
  ): CommonManagerFields => {
    const { plans, tracing, idleTimeoutMs, key, inboundKey } = dependencies;
    return commonFields.of([mesh], `${direction}|${own.allowAbsoluteUrl === true}|${key}|${inboundKey}`, () =>
      buildCommonManagerFields(encoder, {
        ...own,
        accessLogs: [...fileAccessLogs(mesh), ...plans.flatMap((plan) => plan.httpAccessLogs(direction))],
        localReplies: plans.flatMap(({ localReplies }) => localReplies),
        idleTimeoutMs,
        tracing:
          tracing &&
          buildZipkinTracing(encoder, {
            collectorCluster: tracing.cluster,
            collectorHostname: tracing.hostname,
            randomSamplingPercent: settings.traceSamplingPercent,
          }),
      }),
    );
  };

  /** The filter only reads; the TCP proxy behind it carries the bytes. */
  const relationalDbFilters = ({ protocol, action, clusters, statPrefix }: TcpChainOptions): readonly Filter[] => {
    if (settings.relationalDbFilter !== true || protocol !== 'mysql') return [];
    const [{ name }] = clustersOf(action, clusters);
    return [buildMysqlProxy(statPrefix ?? name)];
  };

  const terminalFilter = (mesh: MeshConfig, dependencies: ListenerDependencies, options: TcpChainOptions): Filter => {
    const { direction, action, protocol } = options;
    const clusters = clustersOf(action, options.clusters);
    const [{ name: cluster }] = clusters;
    const { statPrefix = cluster } = options;
    const isSingle = clusters.length === 1;
    if (isSingle && protocol === 'redis' && settings.keyValueFilter) {
      return buildRedisProxy(encoder, statPrefix, cluster);
    }
    if (isSingle && protocol === 'thrift' && settings.thriftFilter) {
      return buildThriftProxy(encoder, statPrefix, cluster);
    }
    const { idleTimeoutMs } = dependencies;
    const asks = dependencies.onDemand && direction === 'outbound' && action.type === 'forward';
    const hashesSourceAddress = action.type === 'forward' && action.hashesSourceAddress;
    const logs = tcpAccessLogs(mesh, dependencies, direction);
    return buildTcpProxy(encoder, {
      statPrefix,
      clusters,
      hashesSourceAddress,
      ...logs,
      idleTimeoutMs,
      onDemandClusters: asks ? configSource : undefined,
    });
  };

  return {
    dependenciesOf: (context, proxy) => {
      const last = newest.get(context);
      if (last?.proxy === proxy) return last.dependencies;
      const dependencies = listenerDependenciesOf(context, proxy, plugins);
      newest.set(context, { proxy, dependencies });
      return dependencies;
    },
    outboundHttp: (mesh, dependencies, { statPrefix, grpcWeb, routeName, forwardProxy = false }) =>
      buildHttpConnectionManager(
        encoder,
        {
          statPrefix,
          routes: { name: routeName, configSource },
          httpFilters: httpFilters(dependencies, OUTBOUND_HTTP, grpcWeb),
        },
        common(mesh, dependencies, 'outbound', {
          useRemoteAddress: settings.sidecarUseRemoteAddress,
          acceptHttp10: settings.http10 || dependencies.http10,
          allowAbsoluteUrl: forwardProxy,
        }),
      ),
    inboundHttp: (mesh, dependencies, { statPrefix, grpcWeb, routes, serviceCluster }) =>
      buildHttpConnectionManager(
        encoder,
        {
          statPrefix,
          routes: { inline: routes },
          httpFilters: httpFilters(dependencies, { direction: 'inbound', serviceCluster }, grpcWeb),
        },
        common(mesh, dependencies, 'inbound', {
          useRemoteAddress: false,
          acceptHttp10: dependencies.http10,
          serverName: SERVER_NAME,
          clientCertificate: 'APPEND_FORWARD',
        }),
      ),
    gatewayHttp: (mesh, dependencies, { statPrefix, grpcWeb, routeName }) =>
      buildHttpConnectionManager(
        encoder,
        {
          statPrefix,
          routes: { name: routeName, configSource },
          httpFilters: httpFilters(dependencies, GATEWAY_HTTP, grpcWeb),
        },
        common(mesh, dependencies, 'gateway', {
          // Clients of gateways are outside of the mesh: what they say about addresses and certificates is not forwarded.
          useRemoteAddress: true,
          acceptHttp10: settings.http10 || dependencies.http10,
          serverName: SERVER_NAME,
          clientCertificate: 'SANITIZE_SET',
        }),
      ),
    tcp: (mesh, dependencies, options) => {
      const { direction, action, clusters } = options;
      const chain = { direction, serviceCluster: serviceClusterOf(action, clusters) };
      return FILTER_ORDER.tcp.flatMap((slot) =>
        slot === 'plugins'
          ? dependencies.plans.flatMap((plan) => plan.networkFilters(chain))
          : [
              ...(options.beforeProxy === undefined ? [] : [options.beforeProxy]),
              ...relationalDbFilters(options),
              terminalFilter(mesh, dependencies, options),
            ],
      );
    },
  };
}
