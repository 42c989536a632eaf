import type { ExtAuthz } from '../generated/envoy/extensions/filters/http/ext_authz/v3/ExtAuthz.js';
import type { ExtAuthzPerRoute } from '../generated/envoy/extensions/filters/http/ext_authz/v3/ExtAuthzPerRoute.js';
import { buildGrpcService, type GrpcServiceOptions } from './grpc-service.js';
import type { MessageEncoder, PackedAny } from './message-encoder.js';

/** Asks an authorization server about every request. */
export interface HttpExtAuthzOptions {
  readonly statPrefix: string;
  readonly server: GrpcServiceOptions;
  /** Whether requests pass when the server does not answer. */
  readonly allowsOnFailure: boolean;
  /** Dynamic metadata of the request that the server is told as well, by namespace. */
  readonly metadataNamespaces: readonly string[];
}

const EXTENSION = 'type.googleapis.com/envoy.extensions.filters.http.ext_authz.v3';

export const HTTP_EXT_AUTHZ = `${EXTENSION}.ExtAuthz`;

/**
 * The server is told the server name of the connection as well. A request that nobody could decide about is answered
 * with 503: the fault is not the caller's.
 */
export function buildHttpExtAuthz(encoder: MessageEncoder, options: HttpExtAuthzOptions): PackedAny {
  const config: ExtAuthz = {
    statPrefix: options.statPrefix,
    transportApiVersion: 'V3',
    grpcService: buildGrpcService(options.server),
    failureModeAllow: options.allowsOnFailure,
    statusOnError: { code: 'ServiceUnavailable' },
    includeTlsSession: true,
    metadataContextNamespaces: [...options.metadataNamespaces],
  };
  return encoder.packAny(HTTP_EXT_AUTHZ, config);
}

/**
 * The same filter, which lets every request pass and never calls anybody.
 *
 * @param cluster that is never called: Envoy wants to have one named
 */
export function buildIdleHttpExtAuthz(encoder: MessageEncoder, statPrefix: string, cluster: string): PackedAny {
  const config: ExtAuthz = {
    statPrefix,
    transportApiVersion: 'V3',
    grpcService: buildGrpcService({ cluster }),
    filterEnabled: { defaultValue: { numerator: 0, denominator: 'HUNDRED' } },
  };
  return encoder.packAny(HTTP_EXT_AUTHZ, config);
}

/** What a route tells the server beside the request, or that its requests are not checked. */
export function buildExtAuthzPerRoute(
  encoder: MessageEncoder,
  route: 'unchecked' | { readonly contextExtensions: Readonly<Record<string, string>> },
): PackedAny {
  const config: ExtAuthzPerRoute =
    route === 'unchecked'
      ? { disabled: true }
      : { checkSettings: { contextExtensions: { ...route.contextExtensions } } };
  return encoder.packAny(`${EXTENSION}.ExtAuthzPerRoute`, config);
}
