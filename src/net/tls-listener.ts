import { constants } from 'node:crypto';
import type { Socket } from 'node:net';
import { createServer, type SecureContextOptions, type TLSSocket } from 'node:tls';
import { createPendingHandshakes, type SocketClock } from './pending-handshakes.js';
import { type ConnectionQueue, createTcpListener, type TcpListener } from './tcp-listener.js';
import type { TlsMaterial, TlsMaterialSource } from './tls-material.js';

export interface TlsListenerSettings {
  readonly material: TlsMaterialSource;
  /**
   * `optional`: clients are asked for a certificate, which must verify against the client roots of the material.
   * `required`: a client without a certificate is rejected too. `noted`: a certificate that does not verify counts as
   * none.
   */
  readonly clientCertificates: 'none' | 'optional' | 'required' | 'noted';
  /** Protocols in the order of preference, such as `h2`. A client that offers none of them is rejected. */
  readonly alpn: readonly string[];
  readonly clock: SocketClock;
  /** Time for the whole handshake; default 10 s. */
  readonly handshakeTimeoutMs?: number;
  /** Connections whose handshake is not complete; default 1024. */
  readonly maxPendingHandshakes?: number;
  /** Returns why a connection is closed before its handshake, or undefined to accept it. Default: accepts all. */
  readonly refusalOf?: (peer: string) => string | undefined;
  /** Lets connections wait before their handshake. Default: they are taken at once. */
  readonly queue?: ConnectionQueue;
  /**
   * Called for a connection that fails for another reason than its peer closing it. A peer can cause this at any rate,
   * so limit the log lines.
   */
  onRefused(refusal: RefusedConnection): void;
  /** Called when the TLS server cannot use the material. The previous material stays in use. */
  onUnusableMaterial(error: unknown): void;
}

export interface RefusedConnection {
  /** Address and port; empty if the peer had closed the connection. */
  readonly peer: string;
  readonly reason: string;
}

const HANDSHAKE_TIMEOUT_MS = 10_000;
const MAX_PENDING_HANDSHAKES = 1024;

/**
 * Accepts connections with TLS 1.2 or later. Each connection uses the material that is current when it arrives; without
 * material it is closed. Sessions are not resumed, because a resumed session accepts the client without checking its
 * certificate again.
 *
 * @param take called with each connection after its handshake. gRPC takes it with `injectConnection(socket)`, Node's
 *   HTTP servers with `emit('connection', socket)`. `clientCertificateOf` returns the client's certificate.
 */
export function createTlsListener(settings: TlsListenerSettings, take: (socket: TLSSocket) => void): TcpListener {
  const acceptor = createTlsAcceptor(settings, take);
  return withAcceptor(acceptor, createTcpListener(acceptor.accept, settings.queue));
}

/** A listener that starts and stops with the acceptor of its connections. */
export function withAcceptor(acceptor: Pick<TlsAcceptor, 'start' | 'stop'>, listener: TcpListener): TcpListener {
  return {
    listen: (host, port) => {
      acceptor.start();
      return listener.listen(host, port);
    },
    close: () => {
      acceptor.stop();
      return listener.close();
    },
    hangUp: listener.hangUp,
  };
}

/** TLS for connections that another listener accepts. */
export interface TlsAcceptor {
  /** Starts to follow changes of the material. */
  start(): void;
  stop(): void;
  /** Starts the handshake on a connection. Bytes that were read from it must have been put back. */
  accept(socket: Socket): void;
}

/** The handshakes of `createTlsListener`, with the same rules. */
export function createTlsAcceptor(settings: TlsListenerSettings, take: (socket: TLSSocket) => void): TlsAcceptor {
  const { material, clientCertificates, alpn, clock, onRefused } = settings;
  const asksForCertificates = clientCertificates !== 'none';
  const mustVerify = asksForCertificates && clientCertificates !== 'noted';
  const pending = createPendingHandshakes(
    {
      timeoutMs: settings.handshakeTimeoutMs ?? HANDSHAKE_TIMEOUT_MS,
      maxPending: settings.maxPendingHandshakes ?? MAX_PENDING_HANDSHAKES,
    },
    clock,
    (socket, reason) => onRefused({ peer: peerOf(socket), reason }),
  );
  // This server does not listen. It gets connections by events, and new connections use its latest context.
  const tls = createServer({
    ALPNProtocols: [...alpn],
    requestCert: asksForCertificates,
    // A client without a certificate may have a token, so certificates are checked below.
    rejectUnauthorized: false,
  });
  tls.on('tlsClientError', (error, socket) => {
    // A connection that was closed, or that exceeded its time, is not pending.
    if (pending.done(socket)) onRefused({ peer: peerOf(socket), reason: error.message });
  });
  tls.on('secureConnection', (socket) => {
    if (!pending.done(socket)) {
      // The connection was closed, or its time ended, at this moment.
      socket.destroy();
    } else if (mustVerify && !socket.authorized && socket.getPeerX509Certificate() !== undefined) {
      const reason = `the client's certificate does not verify: ${String(socket.authorizationError)}`;
      onRefused({ peer: peerOf(socket), reason });
      socket.destroy();
    } else if (clientCertificates === 'required' && socket.getPeerX509Certificate() === undefined) {
      onRefused({ peer: peerOf(socket), reason: 'the client has no certificate' });
      socket.destroy();
    } else {
      take(socket);
    }
  });

  let usable = false;
  const useMaterial = (): void => {
    const current = material.current();
    if (current === undefined) return;
    try {
      tls.setSecureContext(contextOf(current));
      usable = true;
    } catch (error) {
      settings.onUnusableMaterial(error);
    }
  };

  const accept = (socket: Socket): void => {
    // The handler of tlsClientError reports errors during the handshake.
    socket.on('error', () => undefined);
    const refusal = settings.refusalOf?.(peerOf(socket));
    if (!usable) {
      onRefused({ peer: peerOf(socket), reason: 'there is no server certificate yet' });
      socket.destroy();
    } else if (refusal !== undefined) {
      onRefused({ peer: peerOf(socket), reason: refusal });
      socket.destroy();
    } else if (pending.admit(socket)) {
      tls.emit('connection', socket);
    } else {
      onRefused({ peer: peerOf(socket), reason: 'too many connections wait for their TLS handshake' });
      socket.destroy();
    }
  };
  let stopWatching = (): void => undefined;
  return {
    start: () => {
      stopWatching = material.onChange(useMaterial);
      useMaterial();
    },
    stop: () => stopWatching(),
    accept,
  };
}

function contextOf({ certificate, clientRoots }: TlsMaterial): SecureContextOptions {
  return {
    key: certificate.privateKey,
    cert: certificate.certificateChain,
    // Set even if empty: without this option, Node trusts the roots of the public web.
    ca: [...clientRoots],
    minVersion: 'TLSv1.2',
    secureOptions: constants.SSL_OP_NO_TICKET | constants.SSL_OP_NO_RENEGOTIATION,
  };
}

function peerOf({ remoteAddress, remotePort }: Socket): string {
  if (remoteAddress === undefined) return '';
  return remoteAddress.includes(':') ? `[${remoteAddress}]:${remotePort}` : `${remoteAddress}:${remotePort}`;
}
