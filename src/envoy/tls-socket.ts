import type { TransportSocket } from '../generated/envoy/config/core/v3/TransportSocket.js';
import type { DownstreamTlsContext } from '../generated/envoy/extensions/transport_sockets/tls/v3/DownstreamTlsContext.js';
import type { UpstreamTlsContext } from '../generated/envoy/extensions/transport_sockets/tls/v3/UpstreamTlsContext.js';
import type { MessageEncoder } from './message-encoder.js';

const CONTEXTS = 'type.googleapis.com/envoy.extensions.transport_sockets.tls.v3';

/** The TLS of a server's filter chain. */
export function serverTlsSocket(encoder: MessageEncoder, context: DownstreamTlsContext): TransportSocket {
  return tlsSocket(encoder, 'DownstreamTlsContext', context);
}

/** The TLS of a cluster, whose proxies are clients. */
export function clientTlsSocket(encoder: MessageEncoder, context: UpstreamTlsContext): TransportSocket {
  return tlsSocket(encoder, 'UpstreamTlsContext', context);
}

function tlsSocket(encoder: MessageEncoder, message: string, context: object): TransportSocket {
  return { name: 'envoy.transport_sockets.tls', typedConfig: encoder.packAny(`${CONTEXTS}.${message}`, context) };
}
