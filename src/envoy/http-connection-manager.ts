import type { ConfigSource } from '../generated/envoy/config/core/v3/ConfigSource.js';
import type { RouteConfiguration } from '../generated/envoy/config/route/v3/RouteConfiguration.js';
import type {
  HttpConnectionManager,
  _envoy_extensions_filters_network_http_connection_manager_v3_HttpConnectionManager_Tracing as Tracing,
} from '../generated/envoy/extensions/filters/network/http_connection_manager/v3/HttpConnectionManager.js';
import type { HttpFilter } from '../generated/envoy/extensions/filters/network/http_connection_manager/v3/HttpFilter.js';
import type { ResponseMapper } from '../generated/envoy/extensions/filters/network/http_connection_manager/v3/ResponseMapper.js';
import type { UuidRequestIdConfig } from '../generated/envoy/extensions/request_id/uuid/v3/UuidRequestIdConfig.js';
import { duration } from './durations.js';
import type { MessageEncoder } from './message-encoder.js';
import type { TypedFilter } from './typed-filter.js';

/** What one HTTP connection manager has of its own. */
export interface HttpConnectionManagerOptions {
  readonly statPrefix: string;
  /** A route table that the proxy requests by name, or one in the listener. */
  readonly routes:
    | { readonly name: string; readonly configSource: ConfigSource }
    | { readonly inline: RouteConfiguration };
  readonly httpFilters: readonly HttpFilter[];
}

/** What many HTTP connection managers have in common. */
export interface CommonManagerOptions {
  readonly accessLogs: readonly TypedFilter[];
  /** Bodies and headers of Envoy's own responses. */
  readonly localReplies: readonly ResponseMapper[];
  readonly tracing: Tracing | undefined;
  readonly useRemoteAddress: boolean;
  /** Accept HTTP/1.0 requests. */
  readonly acceptHttp10: boolean;
  /** Close connections without streams after this time; undefined for Envoy's default of one hour, 0 for never. */
  readonly idleTimeoutMs: number | undefined;
  /** Accept requests with an absolute URL, as a forward proxy does. */
  readonly allowAbsoluteUrl?: boolean;
  /** The server name of responses; default: Envoy's own. */
  readonly serverName?: string;
  /**
   * How the certificate of the caller reaches the application (`x-forwarded-client-cert`): appended to what the caller
   * sent, or instead of it. Default: not at all.
   */
  readonly clientCertificate?: 'APPEND_FORWARD' | 'SANITIZE_SET';
}

/** The common fields, which are encoded once. */
export type CommonManagerFields = Omit<HttpConnectionManager, 'statPrefix' | 'routeConfig' | 'rds' | 'httpFilters'>;

/** The type of the filter's configuration. */
export const HTTP_CONNECTION_MANAGER =
  'type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager';
/** The name of the filter. */
export const CONNECTION_MANAGER_FILTER = 'envoy.filters.network.http_connection_manager';
const UUID_REQUEST_ID = 'type.googleapis.com/envoy.extensions.request_id.uuid.v3.UuidRequestIdConfig';

/** The network filter that speaks HTTP (docs/reference/xds.md#http-connection-manager). */
export function buildHttpConnectionManager(
  encoder: MessageEncoder,
  { statPrefix, routes, httpFilters }: HttpConnectionManagerOptions,
  common: CommonManagerFields,
): TypedFilter {
  const manager: HttpConnectionManager = {
    statPrefix,
    ...('inline' in routes
      ? { routeConfig: routes.inline }
      : { rds: { configSource: routes.configSource, routeConfigName: routes.name } }),
    httpFilters: [...httpFilters],
  };
  const value = encoder.encodeWithCommon(HTTP_CONNECTION_MANAGER, manager, common);
  return { name: CONNECTION_MANAGER_FILTER, typedConfig: { type_url: HTTP_CONNECTION_MANAGER, value } };
}

export function buildCommonManagerFields(encoder: MessageEncoder, options: CommonManagerOptions): CommonManagerFields {
  const requestId: UuidRequestIdConfig = { useRequestIdForTraceSampling: { value: true } };
  const fields: CommonManagerFields = {
    accessLog: [...options.accessLogs],
    tracing: options.tracing ?? null,
    useRemoteAddress: { value: options.useRemoteAddress },
    streamIdleTimeout: duration(0),
    proxy_100Continue: true,
    upgradeConfigs: [{ upgradeType: 'websocket' }],
    normalizePath: { value: true },
    pathWithEscapedSlashesAction: 'KEEP_UNCHANGED',
    requestIdExtension: { typedConfig: encoder.packAny(UUID_REQUEST_ID, requestId) },
  };
  if (options.acceptHttp10 || options.allowAbsoluteUrl) {
    fields.httpProtocolOptions = {
      acceptHttp_10: options.acceptHttp10,
      allowAbsoluteUrl: options.allowAbsoluteUrl ? { value: true } : null,
    };
  }
  if (options.idleTimeoutMs !== undefined) {
    fields.commonHttpProtocolOptions = { idleTimeout: duration(options.idleTimeoutMs) };
  }
  if (options.localReplies.length > 0) fields.localReplyConfig = { mappers: [...options.localReplies] };
  if (options.serverName !== undefined) fields.serverName = options.serverName;
  if (options.clientCertificate !== undefined) {
    fields.forwardClientCertDetails = options.clientCertificate;
    fields.setCurrentClientCertDetails = { subject: { value: true }, dns: true, uri: true };
  }
  return fields;
}
