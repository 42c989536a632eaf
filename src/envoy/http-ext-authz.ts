import type { ExtAuthz } from '../generated/envoy/extensions/filters/http/ext_authz/v3/ExtAuthz.js';
import type { ExtAuthzPerRoute } from '../generated/envoy/extensions/filters/http/ext_authz/v3/ExtAuthzPerRoute.js';
import { buildGrpcService, type GrpcServiceOptions } from './grpc-service.js';
import { buildHttpCheckService, type HttpCheckServiceOptions } from './http-check-service.js';
import type { MessageEncoder, PackedAny } from './message-encoder.js';
import { stringMatcher } from './string-matcher.js';

/** Asks an authorization server about every request. */
export interface HttpExtAuthzOptions {
  readonly statPrefix: string;
  readonly server:
    | { readonly protocol: 'grpc'; readonly service: GrpcServiceOptions }
    | { readonly protocol: 'http'; readonly service: HttpCheckServiceOptions };
  /** Whether requests pass when the server does not answer. */
  readonly allowsOnFailure: boolean;
  /** Namespaces of dynamic metadata that are sent to a gRPC server. */
  readonly metadataNamespaces: readonly string[];
}

const EXTENSION = 'type.googleapis.com/envoy.extensions.filters.http.ext_authz.v3';

export const HTTP_EXT_AUTHZ = `${EXTENSION}.ExtAuthz`;

/**
 * A gRPC server also gets the server name (SNI) of the connection. A request that the server could not decide gets status
 * 503, because the caller is not at fault.
 */
export function buildHttpExtAuthz(encoder: MessageEncoder, options: HttpExtAuthzOptions): PackedAny {
  const { server, statPrefix, allowsOnFailure, metadataNamespaces } = options;
  const config: ExtAuthz = {
    statPrefix,
    transportApiVersion: 'V3',
    ...(server.protocol === 'grpc'
      ? {
          grpcService: buildGrpcService(server.service),
          includeTlsSession: true,
          metadataContextNamespaces: [...metadataNamespaces],
        }
      : { httpService: buildHttpCheckService(server.service), ...headersOfRequest(server.service) }),
    failureModeAllow: allowsOnFailure,
    statusOnError: { code: 'ServiceUnavailable' },
  };
  return encoder.packAny(HTTP_EXT_AUTHZ, config);
}

/** All headers, as over gRPC, but those that would make the call itself an upgrade, or stand for headers of Envoy. */
function headersOfRequest({
  ownPrefix,
}: HttpCheckServiceOptions): Pick<ExtAuthz, 'allowedHeaders' | 'disallowedHeaders'> {
  return {
    allowedHeaders: { patterns: [stringMatcher({ type: 'regex', value: '.*' })] },
    disallowedHeaders: {
      patterns: [
        stringMatcher({ type: 'prefix', value: ownPrefix }),
        ...['connection', 'upgrade'].map((value) => stringMatcher({ type: 'exact', value })),
      ],
    },
  };
}

/**
 * The same filter, disabled: it lets every request pass and calls no server.
 *
 * @param cluster never called, but Envoy requires a name
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

/** The data that a route sends to the server beside the request, or that the requests of the route are not checked. */
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
