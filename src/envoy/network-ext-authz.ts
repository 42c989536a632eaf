import type { ExtAuthz } from '../generated/envoy/extensions/filters/network/ext_authz/v3/ExtAuthz.js';
import { buildGrpcService, type GrpcServiceOptions } from './grpc-service.js';
import type { MessageEncoder, PackedAny } from './message-encoder.js';

/** Asks an authorization server about every connection. */
export interface NetworkExtAuthzOptions {
  readonly statPrefix: string;
  readonly server: GrpcServiceOptions;
  /** Whether connections pass when the server does not answer. */
  readonly allowsOnFailure: boolean;
}

export const NETWORK_EXT_AUTHZ = 'type.googleapis.com/envoy.extensions.filters.network.ext_authz.v3.ExtAuthz';

/** Metadata that no connection has. */
const NEVER_SET = 'mesh.never';

/** The server also gets the server name (SNI) of the connection. */
export function buildNetworkExtAuthz(encoder: MessageEncoder, options: NetworkExtAuthzOptions): PackedAny {
  const config: ExtAuthz = {
    statPrefix: options.statPrefix,
    transportApiVersion: 'V3',
    grpcService: buildGrpcService(options.server),
    failureModeAllow: options.allowsOnFailure,
    includeTlsSession: true,
  };
  return encoder.packAny(NETWORK_EXT_AUTHZ, config);
}

/**
 * The same filter, disabled: it acts only on connections with metadata that no connection has. Unlike the HTTP filter,
 * it has no percentage that could be zero.
 *
 * @param cluster never called, but Envoy requires a name
 */
export function buildIdleNetworkExtAuthz(encoder: MessageEncoder, statPrefix: string, cluster: string): PackedAny {
  const config: ExtAuthz = {
    statPrefix,
    transportApiVersion: 'V3',
    grpcService: buildGrpcService({ cluster }),
    filterEnabledMetadata: { filter: NEVER_SET, path: [{ key: NEVER_SET }], value: { presentMatch: true } },
  };
  return encoder.packAny(NETWORK_EXT_AUTHZ, config);
}
