import type { ConfigSource } from '../generated/envoy/config/core/v3/ConfigSource.js';
import type { Route } from '../generated/envoy/config/route/v3/Route.js';
import type { FilterConfig as GrpcStats } from '../generated/envoy/extensions/filters/http/grpc_stats/v3/FilterConfig.js';
import type { OnDemand } from '../generated/envoy/extensions/filters/http/on_demand/v3/OnDemand.js';
import type { Config as SetFilterState } from '../generated/envoy/extensions/filters/http/set_filter_state/v3/Config.js';
import type { HttpFilter } from '../generated/envoy/extensions/filters/network/http_connection_manager/v3/HttpFilter.js';
import { duration } from './durations.js';
import type { MessageEncoder } from './message-encoder.js';

const EXTENSIONS = 'type.googleapis.com/envoy.extensions.filters.http';

/** Translates gRPC-Web requests for gRPC servers. */
export function grpcWebFilter(encoder: MessageEncoder): HttpFilter {
  return httpFilter(encoder, 'envoy.filters.http.grpc_web', `${EXTENSIONS}.grpc_web.v3.GrpcWeb`, {});
}

/** Counts gRPC messages and statuses, and makes them available to access logs. */
export function grpcStatsFilter(encoder: MessageEncoder): HttpFilter {
  const config: GrpcStats = { emitFilterState: true, statsForAllMethods: { value: false } };
  return httpFilter(encoder, 'envoy.filters.http.grpc_stats', `${EXTENSIONS}.grpc_stats.v3.FilterConfig`, config);
}

/** Acts only where a route has a CORS policy. */
export function corsFilter(encoder: MessageEncoder): HttpFilter {
  return httpFilter(encoder, 'envoy.filters.http.cors', `${EXTENSIONS}.cors.v3.Cors`, {});
}

/** Acts only where a route injects faults. */
export function faultFilter(encoder: MessageEncoder): HttpFilter {
  return httpFilter(encoder, 'envoy.filters.http.fault', `${EXTENSIONS}.fault.v3.HTTPFault`, {});
}

/**
 * Offers these application protocols (ALPN) in TLS upstream instead of those of the cluster. The protocol of a request
 * is known, the protocols of a cluster that carries all kinds of connections are not.
 */
export function upstreamProtocolsFilter(encoder: MessageEncoder, protocols: readonly string[]): HttpFilter {
  const config: SetFilterState = {
    onRequestHeaders: [
      {
        objectKey: 'envoy.network.application_protocols',
        formatString: { textFormatSource: { inlineString: protocols.join() } },
      },
    ],
  };
  return httpFilter(encoder, 'envoy.filters.http.set_filter_state', `${EXTENSIONS}.set_filter_state.v3.Config`, config);
}

const ON_DEMAND = 'envoy.filters.http.on_demand';

/** How long a request or connection waits for a cluster that the proxy asks for. */
export const ON_DEMAND_TIMEOUT_MS = 5_000;

/**
 * Lets a request wait while the proxy asks for its virtual host, if the route table has VHDS, and for the cluster of its
 * route. It comes before filters that read the route.
 *
 * @param clusters where the proxy asks for clusters
 */
export function onDemandFilter(encoder: MessageEncoder, clusters: ConfigSource): HttpFilter {
  const config: OnDemand = { odcds: { source: clusters, timeout: duration(ON_DEMAND_TIMEOUT_MS) } };
  return httpFilter(encoder, ON_DEMAND, `${EXTENSIONS}.on_demand.v3.OnDemand`, config);
}

/** Configuration of a filter for one route, by the name of the filter. */
export type NamedAny = NonNullable<Route['typedPerFilterConfig']>;

/** For routes to clusters that the proxy must not ask for. */
export function onDemandOff(encoder: MessageEncoder): NamedAny {
  return { [ON_DEMAND]: encoder.packAny(`${EXTENSIONS}.on_demand.v3.PerRouteConfig`, {}) };
}

/** Forwards the request; always the last filter. */
export function routerFilter(encoder: MessageEncoder): HttpFilter {
  return httpFilter(encoder, 'envoy.filters.http.router', `${EXTENSIONS}.router.v3.Router`, {});
}

function httpFilter(encoder: MessageEncoder, name: string, typeUrl: string, config: object): HttpFilter {
  return { name, typedConfig: encoder.packAny(typeUrl, config) };
}
