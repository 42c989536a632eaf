import { constants } from 'node:crypto';
import type { Socket } from 'node:net';
import { createServer, type SecureContextOptions, type TLSSocket } from 'node:tls';
import { createPendingHandshakes, type SocketClock } from './pending-handshakes.js';
import { createTcpListener, type TcpListener } from './tcp-listener.js';
import type { TlsMaterial, TlsMaterialSource } from './tls-material.js';

export interface TlsListenerSettings {
  readonly material: TlsMaterialSource;
  /**
   * `optional`: clients are asked for one; what they present must verify against the material's client roots.
   * `required`: a client without one is refused as well. `noted`: one that does not verify counts as none.
   */
  readonly clientCertificates: 'none' | 'optional' | 'required' | 'noted';
  /** In our order of preference, such as `h2`; a client whose offer has none of them is refused. */
  readonly alpn: readonly string[];
  readonly clock: SocketClock;
  /** Of the whole handshake; 10 s unless given. */
  readonly handshakeTimeoutMs?: number;
  /** Connections that have not shaken hands yet; 1024 unless given. */
  readonly maxPendingHandshakes?: number;
  /** Why a connection is closed before its handshake; undefined for one that is welcome. Default: all are. */
  readonly refusalOf?: (peer: string) => string | undefined;
  /** A connection came to nothing that its peer did not give up itself. Anybody can cause it as often as they like: for logs that are limited. */
  onRefused(refusal: RefusedConnection): void;
  /** No TLS server can use the material; what was in use before stays. */
  onUnusableMaterial(error: unknown): void;
}

export interface RefusedConnection {
  /** Address and port; empty when the peer was gone before it could be asked. */
  readonly peer: string;
  readonly reason: string;
}

const HANDSHAKE_TIMEOUT_MS = 10_000;
const MAX_PENDING_HANDSHAKES = 1024;

/**
 * Takes TLS connections, 1.2 or later. Each gets the material that is current when it comes; without any it is
 * closed. Sessions are not resumed: a resumed one vouches for a client without looking at its certificate again.
 *
 * @param take called with each connection that has shaken hands. gRPC takes it with `injectConnection(socket)`,
 *   node's HTTP servers with `emit('connection', socket)`. Who the client is says `clientCertificateOf`.
 */
export function createTlsListener(settings: TlsListenerSettings, take: (socket: TLSSocket) => void): TcpListener {
  const acceptor = createTlsAcceptor(settings, take);
  return withAcceptor(acceptor, createTcpListener(acceptor.accept));
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

/** TLS for connections that another listener has accepted. */
export interface TlsAcceptor {
  /** Follows the material from now on. */
  start(): void;
  stop(): void;
  /** Shakes hands on a connection; bytes that were read from it must have been put back. */
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
  // It does not listen: connections are handed to it, and new ones use the context that it was given last.
  const tls = createServer({
    ALPNProtocols: [...alpn],
    requestCert: asksForCertificates,
    // Whoever has no certificate may have a token: what is presented is judged below.
    rejectUnauthorized: false,
  });
  tls.on('tlsClientError', (error, socket) => {
    // Whoever hung up, or was cut off, is not awaited any more.
    if (pending.done(socket)) onRefused({ peer: peerOf(socket), reason: error.message });
  });
  tls.on('secureConnection', (socket) => {
    if (!pending.done(socket)) {
      // Its peer, or its time, went in this very moment.
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
    // What happens to it during the handshake is told by tlsClientError.
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
    // Also when there are none: left out, the roots of the public web would be trusted.
    ca: [...clientRoots],
    minVersion: 'TLSv1.2',
    secureOptions: constants.SSL_OP_NO_TICKET | constants.SSL_OP_NO_RENEGOTIATION,
  };
}

function peerOf({ remoteAddress, remotePort }: Socket): string {
  if (remoteAddress === undefined) return '';
  return remoteAddress.includes(':') ? `[${remoteAddress}]:${remotePort}` : `${remoteAddress}:${remotePort}`;
}
