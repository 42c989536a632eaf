import type { X509Certificate } from 'node:crypto';
import type { Http2Session } from 'node:http2';
import { TLSSocket } from 'node:tls';

/** The verified client certificates of HTTP/2 connections. */
export interface ConnectionCertificates {
  /** The same object for all calls of a connection; undefined where the client has no verified certificate. */
  of(session: Http2Session): X509Certificate | undefined;
}

/**
 * Reads the certificate of a connection once: our listeners allow neither renegotiation nor resumption, so that it
 * cannot change, and each reading decodes the whole chain.
 */
export function createConnectionCertificates(): ConnectionCertificates {
  const known = new WeakMap<Http2Session, X509Certificate>();
  return {
    of: (session) => {
      const remembered = known.get(session);
      if (remembered !== undefined) return remembered;
      const socket: unknown = session.socket;
      const certificate = socket instanceof TLSSocket ? clientCertificateOf(socket) : undefined;
      if (certificate !== undefined) known.set(session, certificate);
      return certificate;
    },
  };
}

/**
 * The certificate that a client has presented and that was verified against the roots of the connection's time;
 * undefined when it has none. `authorized` alone does not say: a resumed session has it without any certificate.
 */
export function clientCertificateOf(socket: TLSSocket): X509Certificate | undefined {
  return socket.authorized ? socket.getPeerX509Certificate() : undefined;
}
