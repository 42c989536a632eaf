import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { createHttpVersionDetector, type HttpVersion } from '../../net/detect-http-version.js';
import { createTlsDetector } from '../../net/detect-tls.js';
import type { GrpcListenerSettings } from '../../net/grpc-listener.js';
import type { GrpcService } from '../../net/grpc-service.js';
import type { GrpcGuard } from '../../net/guard/grpc-guard.js';
import { type AnswerRequest, errorResponse, withoutKeepAlive } from '../../net/guard/request-connections.js';
import type { SocketClock } from '../../net/pending-handshakes.js';
import { refusePlaintext } from '../../net/refuse-plaintext.js';
import { type ConnectionQueue, createTcpListener, type TcpListener } from '../../net/tcp-listener.js';
import { createTlsAcceptor, withAcceptor } from '../../net/tls-listener.js';
import type { TlsMaterialSource } from '../../net/tls-material.js';
import { createPolicyGrpcServer } from './grpc/policy-grpc-server.js';

/** The policy server's own address. */
export interface PolicyListener {
  /** @returns the port. @throws the system's error when the address is not available. */
  start(): Promise<number>;
  /** Sets the answer of the health service; NOT_SERVING at first. */
  setServing(isServing: boolean): void;
  /** Asks connected callers to connect again, and ends log streams. Running calls are answered. */
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
  readonly onUnusableMaterial: (error: unknown) => void;
}

export interface PolicyListenerOptions {
  readonly settings: GrpcListenerSettings;
  readonly services: readonly GrpcService[];
  /** Answers Checks over HTTP/1.1. */
  readonly answer: AnswerRequest;
  /** Default: only plaintext. */
  readonly tls?: PolicyTls | undefined;
  /** The limits of peers, shared with other servers. */
  readonly guard: GrpcGuard;
  readonly clock: SocketClock;
  /** A peer can cause it at any rate, so the log must be limited. */
  readonly onRefused: (reason: ConnectionRefusal, peer: string, detail: string) => void;
}

/** Sidecars offer `mesh-http` and `mesh` to services of the mesh, such as a separate policy server. */
const APPLICATION_PROTOCOLS = ['h2', 'http/1.1', 'mesh-http', 'mesh'];
const PLAINTEXT_REFUSED =
  'this policy server takes mutual TLS alone: connect with a certificate of the mesh, or set NAV_POLICY_TLS=permissive';

/**
 * One port for gRPC and for HTTP/1.1, with mutual TLS or without it, so that proxies change from one to the other
 * without a failed call.
 */
export function createPolicyListener(options: PolicyListenerOptions): PolicyListener {
  const { settings, services, answer, tls, guard, clock, onRefused } = options;
  const grpc = createPolicyGrpcServer(settings, services, guard);
  const http = guard.requests(answer, settings.maxConnectionAgeMs);
  const refuseSilent = (socket: Socket, reason: string): void => onRefused('silent', peerOf(socket), reason);

  const serve = (socket: Socket, version: HttpVersion): void => {
    if (tls?.mode === 'strict' && !(socket instanceof TLSSocket)) {
      onRefused('plaintext', peerOf(socket), PLAINTEXT_REFUSED);
      if (version === 'h2') refusePlaintext(socket, PLAINTEXT_REFUSED);
      else socket.end(withoutKeepAlive(errorResponse(PLAINTEXT_REFUSED)));
    } else if (version === 'h2') grpc.take(socket);
    else http.take(socket);
  };
  const serveAny = createHttpVersionDetector(clock, serve, refuseSilent);
  const serveSecured = (socket: TLSSocket): void => {
    const { alpnProtocol } = socket;
    if (alpnProtocol === 'h2' || alpnProtocol === 'http/1.1') serve(socket, alpnProtocol);
    else serveAny(socket);
  };
  const listener =
    tls === undefined
      ? createTcpListener(serveAny, guard.arrive)
      : createSecuredListener({ ...options, tls }, serveSecured, serveAny, guard.arrive);

  return {
    start: () => listener.listen(settings.host, settings.port),
    setServing: grpc.setServing,
    askToLeave: () => {
      grpc.askToLeave();
      http.askToLeave();
    },
    async stop(graceMs) {
      const closed = listener.close();
      grpc.shutDown();
      http.drain();
      const force = setTimeout(listener.hangUp, graceMs);
      await closed;
      clearTimeout(force);
    },
  };
}

function createSecuredListener(
  { tls, clock, onRefused }: PolicyListenerOptions & { readonly tls: PolicyTls },
  takeSecured: (socket: TLSSocket) => void,
  takePlaintext: (socket: Socket) => void,
  queue: ConnectionQueue,
): TcpListener {
  const acceptor = createTlsAcceptor(
    {
      material: tls.material,
      clientCertificates: 'required',
      alpn: APPLICATION_PROTOCOLS,
      clock,
      onRefused: ({ peer, reason }) => onRefused('tls', peer, reason),
      onUnusableMaterial: tls.onUnusableMaterial,
    },
    takeSecured,
  );
  const detect = createTlsDetector(
    clock,
    (socket, first) => (first === 'tls' ? acceptor.accept(socket) : takePlaintext(socket)),
    (socket, reason) => onRefused('silent', peerOf(socket), reason),
  );
  return withAcceptor(acceptor, createTcpListener(detect, queue));
}

function peerOf({ remoteAddress = '', remotePort = 0 }: Socket): string {
  return remoteAddress.includes(':') ? `[${remoteAddress}]:${remotePort}` : `${remoteAddress}:${remotePort}`;
}
