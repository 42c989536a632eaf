import type { RouteConfiguration } from '../generated/envoy/config/route/v3/RouteConfiguration.js';
import type { HttpConnectionManager } from '../generated/envoy/extensions/filters/network/http_connection_manager/v3/HttpConnectionManager.js';
import type { HttpFilter } from '../generated/envoy/extensions/filters/network/http_connection_manager/v3/HttpFilter.js';
import { HTTP_CONNECTION_MANAGER } from './http-connection-manager.js';
import type { MessageEncoder, PackedAny } from './message-encoder.js';

export interface GrpcConnectionManagerOptions {
  readonly statPrefix: string;
  /** The name of a route table that the client asks for on the same stream, or the table itself. */
  readonly routes: { readonly name: string } | { readonly inline: RouteConfiguration };
  /** The router comes last: gRPC rejects other lists. */
  readonly httpFilters: readonly HttpFilter[];
}

/** The part of an HTTP connection manager that gRPC libraries read (gRFC A27, A39). */
export function packGrpcConnectionManager(encoder: MessageEncoder, options: GrpcConnectionManagerOptions): PackedAny {
  const { routes } = options;
  const manager: HttpConnectionManager = {
    statPrefix: options.statPrefix,
    ...('inline' in routes
      ? { routeConfig: routes.inline }
      : { rds: { configSource: { ads: {}, resourceApiVersion: 'V3' }, routeConfigName: routes.name } }),
    httpFilters: [...options.httpFilters],
  };
  return encoder.packAny(HTTP_CONNECTION_MANAGER, manager);
}
