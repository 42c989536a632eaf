import type { TransportSocket } from '../generated/envoy/config/core/v3/TransportSocket.js';
import type { CommonTlsContext } from '../generated/envoy/extensions/transport_sockets/tls/v3/CommonTlsContext.js';
import type { DownstreamTlsContext } from '../generated/envoy/extensions/transport_sockets/tls/v3/DownstreamTlsContext.js';
import type { UpstreamTlsContext } from '../generated/envoy/extensions/transport_sockets/tls/v3/UpstreamTlsContext.js';
import type { StringMatcher } from '../generated/envoy/type/matcher/v3/StringMatcher.js';
import type { MessageEncoder } from './message-encoder.js';
import type { PeerName } from './tls-context.js';
import { clientTlsSocket, serverTlsSocket } from './tls-socket.js';

/**
 * The client's side of the mutual TLS of gRPC libraries (gRFC A29): the library reads its certificate and the trusted roots
 * from a provider in its own bootstrap, and takes no other source.
 *
 * @param instance of the provider in the bootstrap
 * @param peerNames the server's certificate must have one of these names; without names the library accepts any
 */
export function providerUpstreamTls(
  encoder: MessageEncoder,
  instance: string,
  peerNames: readonly PeerName[],
): TransportSocket {
  const context: UpstreamTlsContext = { commonTlsContext: commonContext(instance, peerNames) };
  return clientTlsSocket(encoder, context);
}

/** The server's side: clients need a certificate of a trusted root. gRPC compares no names of clients here. */
export function providerDownstreamTls(encoder: MessageEncoder, instance: string): TransportSocket {
  const context: DownstreamTlsContext = {
    commonTlsContext: commonContext(instance, []),
    requireClientCertificate: { value: true },
  };
  return serverTlsSocket(encoder, context);
}

function commonContext(instanceName: string, peerNames: readonly PeerName[]): CommonTlsContext {
  return {
    tlsCertificateProviderInstance: { instanceName },
    validationContext: {
      caCertificateProviderInstance: { instanceName },
      // gRPC does not read the typed matchers that replace this field in Envoy.
      matchSubjectAltNames: peerNames.map(
        (name): StringMatcher => ('exact' in name ? { exact: name.exact } : { prefix: name.prefix }),
      ),
    },
  };
}
