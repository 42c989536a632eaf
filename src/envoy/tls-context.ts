import type { ConfigSource } from '../generated/envoy/config/core/v3/ConfigSource.js';
import type { TransportSocket } from '../generated/envoy/config/core/v3/TransportSocket.js';
import type { CommonTlsContext } from '../generated/envoy/extensions/transport_sockets/tls/v3/CommonTlsContext.js';
import type { DownstreamTlsContext } from '../generated/envoy/extensions/transport_sockets/tls/v3/DownstreamTlsContext.js';
import type { SubjectAltNameMatcher } from '../generated/envoy/extensions/transport_sockets/tls/v3/SubjectAltNameMatcher.js';
import type { UpstreamTlsContext } from '../generated/envoy/extensions/transport_sockets/tls/v3/UpstreamTlsContext.js';
import type { MessageEncoder } from './message-encoder.js';
import { ROOTS_SECRET, WORKLOAD_SECRET } from './secret.js';
import { clientTlsSocket, serverTlsSocket } from './tls-socket.js';

/** A name in the certificate of the other side. */
export type PeerName =
  | { readonly type: 'URI' | 'DNS'; readonly exact: string }
  | { readonly type: 'URI'; readonly prefix: string };

/** Mutual TLS with the workload's certificate, both secrets of which come by SDS. */
export interface MutualTlsOptions {
  /** Source of the secrets. */
  readonly configSource: ConfigSource;
  /**
   * The other side's certificate must have one of these names. Without names, any certificate of a trusted root is
   * accepted.
   */
  readonly peerNames: readonly PeerName[];
  /** Application protocols (ALPN) that are offered or accepted, the preferred one first. */
  readonly applicationProtocols: readonly string[];
}

const RAW_BUFFER = 'type.googleapis.com/envoy.extensions.transport_sockets.raw_buffer.v3.RawBuffer';

/** The server's side: rejects clients without a trusted certificate. */
export function buildDownstreamMutualTls(encoder: MessageEncoder, options: MutualTlsOptions): TransportSocket {
  const context: DownstreamTlsContext = {
    commonTlsContext: commonContext(options),
    requireClientCertificate: { value: true },
  };
  return serverTlsSocket(encoder, context);
}

/** The client's side. @param serverName SNI of the connection */
export function buildUpstreamMutualTls(
  encoder: MessageEncoder,
  serverName: string,
  options: MutualTlsOptions,
): TransportSocket {
  const context: UpstreamTlsContext = { commonTlsContext: commonContext(options), sni: serverName };
  return clientTlsSocket(encoder, context);
}

/** No TLS. */
export function buildPlaintext(encoder: MessageEncoder): TransportSocket {
  return { name: 'envoy.transport_sockets.raw_buffer', typedConfig: encoder.packAny(RAW_BUFFER, {}) };
}

function commonContext({ configSource, peerNames, applicationProtocols }: MutualTlsOptions): CommonTlsContext {
  return {
    // Envoy's own highest version differs between the two sides.
    tlsParams: { tlsMinimumProtocolVersion: 'TLSv1_2', tlsMaximumProtocolVersion: 'TLSv1_3' },
    tlsCertificateSdsSecretConfigs: [{ name: WORKLOAD_SECRET, sdsConfig: configSource }],
    combinedValidationContext: {
      defaultValidationContext: { matchTypedSubjectAltNames: peerNames.map(nameMatcher) },
      validationContextSdsSecretConfig: { name: ROOTS_SECRET, sdsConfig: configSource },
    },
    alpnProtocols: [...applicationProtocols],
  };
}

function nameMatcher(name: PeerName): SubjectAltNameMatcher {
  const matcher = 'exact' in name ? { exact: name.exact } : { prefix: name.prefix };
  return { sanType: name.type, matcher };
}
