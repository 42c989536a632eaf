import type { Http2Session } from 'node:http2';
import type { Socket } from 'node:net';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import { createTlsDetector } from '../../../net/detect-tls.js';
import { type GrpcListenerSettings, grpcServerOptions } from '../../../net/grpc-listener.js';
import type { GrpcService } from '../../../net/grpc-service.js';
import type { GrpcGuard } from '../../../net/guard/grpc-guard.js';
import { http2ServersOf } from '../../../net/guard/http2-servers-of.js';
import { createHealthService } from '../../../net/health-service.js';
import type { SocketClock } from '../../../net/pending-handshakes.js';
import { refusePlaintext } from '../../../net/refuse-plaintext.js';
import { type ConnectionQueue, createTcpListener, type TcpListener } from '../../../net/tcp-listener.js';
import { createTlsAcceptor, withAcceptor } from '../../../net/tls-listener.js';
import type { TlsMaterialSource } from '../../../net/tls-material.js';

/** The policy server's own address. */
export interface PolicyGrpcServer {
  /** @returns the port. @throws the system's error when the address is not available. */
  start(): Promise<number>;
  /** Sets the answer of the health service; NOT_SERVING at first. */
  setServing(isServing: boolean): void;
  /**
   * Asks connected callers to connect again (GOAWAY), and ends log streams. Running calls are answered. A call in
   * flight is refused as not processed, and its caller repeats it.
   */
  askToLeave(): void;
  /** Answers the Checks that have begun, ends log streams, and settles when all connections are closed. */
  stop(graceMs: number): Promise<void>;
}

/** Why a connection was refused: a label of `policy_server_refused_connections_total`. */
export type ConnectionRefusal = 'plaintext' | 'tls' | 'silent';

/** Mutual TLS on the policy server's address. */
export interface PolicyTls {
  /** With the root certificates of the mesh as client roots. */
  readonly material: TlsMaterialSource;
  /** `permissive`: the same port also accepts plaintext. */
  readonly mode: 'permissive' | 'strict';
  readonly clock: SocketClock;
  /** A peer can cause it at any rate, so the log must be limited. */
  readonly onRefused: (reason: ConnectionRefusal, peer: string, detail: string) => void;
  readonly onUnusableMaterial: (error: unknown) => void;
}

/**
 * Sidecars offer `mesh-http` and `mesh` to services of the mesh, such as a separate policy server. The protocol is
 * always HTTP/2.
 */
const APPLICATION_PROTOCOLS = ['h2', 'mesh-http', 'mesh'];
const PLAINTEXT_REFUSED =
  'this policy server takes mutual TLS alone: connect with a certificate of the mesh, or set NAV_POLICY_TLS=permissive';

/**
 * @param tls only plaintext without it
 * @param guard the limits of peers, shared with other servers; no limits without it
 */
export function createPolicyGrpcServer(
  settings: GrpcListenerSettings,
  services: readonly GrpcService[],
  tls?: PolicyTls,
  guard?: GrpcGuard,
): PolicyGrpcServer {
  const guarded = guard?.open({ services, maxMessageBytes: settings.maxReceiveMessageBytes });
  const server = new Server({ ...grpcServerOptions(settings), ...guarded?.options });
  // The server does not listen by itself, so that system errors name their cause and connections can be ended.
  const injector = server.createConnectionInjector(ServerCredentials.createInsecure());
  guarded?.protect(server);
  const sessions = new Set<Http2Session>();
  for (const http2Server of http2ServersOf(server)) {
    http2Server.on('session', (session: Http2Session) => {
      sessions.add(session);
      session.once('close', () => sessions.delete(session));
    });
  }
  const endLogStreams = (): void => {
    for (const { endStreams } of services) endStreams?.();
  };
  const take = (socket: Socket): void => {
    if (guarded?.admits(socket) !== false) injector.injectConnection(socket);
  };
  const listener =
    tls === undefined ? createTcpListener(take, guard?.arrive) : createSecuredListener(tls, take, guard?.arrive);
  const health = createHealthService(services.map(({ name }) => name));
  for (const service of services) service.addTo(server);
  health.addTo(server);

  return {
    start: () => listener.listen(settings.host, settings.port),
    setServing: health.setServing,
    askToLeave: () => {
      for (const session of sessions) if (!session.closed) session.close();
      endLogStreams();
    },
    async stop(graceMs) {
      health.setServing(false);
      const closed = listener.close();
      // No new calls; connections are closed when their calls have ended.
      server.tryShutdown(() => undefined);
      endLogStreams();
      const force = setTimeout(listener.hangUp, graceMs);
      await closed;
      clearTimeout(force);
    },
  };
}

/** Both on one port, so that proxies change from one to the other without a failed call. */
function createSecuredListener(
  { material, mode, clock, onRefused, onUnusableMaterial }: PolicyTls,
  take: (socket: Socket) => void,
  queue: ConnectionQueue | undefined,
): TcpListener {
  const acceptor = createTlsAcceptor(
    {
      material,
      clientCertificates: 'required',
      alpn: APPLICATION_PROTOCOLS,
      clock,
      onRefused: ({ peer, reason }) => onRefused('tls', peer, reason),
      onUnusableMaterial,
    },
    take,
  );
  const detect = createTlsDetector(
    clock,
    (socket, first) => {
      if (first === 'tls') {
        acceptor.accept(socket);
      } else if (mode === 'permissive') {
        take(socket);
      } else {
        onRefused('plaintext', peerOf(socket), PLAINTEXT_REFUSED);
        refusePlaintext(socket, PLAINTEXT_REFUSED);
      }
    },
    (socket, reason) => onRefused('silent', peerOf(socket), reason),
  );
  return withAcceptor(acceptor, createTcpListener(detect, queue));
}

function peerOf({ remoteAddress = '', remotePort = 0 }: Socket): string {
  return remoteAddress.includes(':') ? `[${remoteAddress}]:${remotePort}` : `${remoteAddress}:${remotePort}`;
}
