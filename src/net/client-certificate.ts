import type { X509Certificate } from 'node:crypto';
import type { TLSSocket } from 'node:tls';

/**
 * The certificate that a client has presented and that was verified against the roots of the connection's time;
 * undefined when it has none. `authorized` alone does not say: a resumed session has it without any certificate.
 */
export function clientCertificateOf(socket: TLSSocket): X509Certificate | undefined {
  return socket.authorized ? socket.getPeerX509Certificate() : undefined;
}
