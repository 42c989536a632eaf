import type { X509Certificate } from 'node:crypto';
import type { Http2Session } from 'node:http2';
import { TLSSocket } from 'node:tls';

/** The verified client certificates of HTTP/2 connections. */
export interface ConnectionCertificates {
  /** The same object for all calls of a connection; undefined where the client has no verified certificate. */
  of(session: Http2Session): X509Certificate | undefined;
}

/**
 * Reads the certificate of a connection once, because each reading decodes the whole chain. The listeners allow neither
 * renegotiation nor resumption, so the certificate of a connection cannot change.
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
 * The client's certificate, verified against the roots in use when the connection was made; undefined if it has none.
 * `authorized` alone is not enough: a resumed session has it without a certificate.
 */
export function clientCertificateOf(socket: TLSSocket): X509Certificate | undefined {
  return socket.authorized ? socket.getPeerX509Certificate() : undefined;
}
