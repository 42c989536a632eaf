import type { Http2Session } from 'node:http2';
import type { Socket } from 'node:net';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import { type GrpcListenerSettings, grpcServerOptions } from '../../../net/grpc-listener.js';
import type { GrpcService } from '../../../net/grpc-service.js';
import type { GrpcGuard } from '../../../net/guard/grpc-guard.js';
import { http2ServersOf } from '../../../net/guard/http2-servers-of.js';
import { createHealthService } from '../../../net/health-service.js';

/** gRPC on connections that a listener accepts. */
export interface PolicyGrpcServer {
  /** @param socket of which no byte is read, or whose first bytes were put back */
  take(socket: Socket): void;
  /** Sets the answer of the health service; NOT_SERVING at first. */
  setServing(isServing: boolean): void;
  /**
   * Asks connected callers to connect again (GOAWAY), and ends log streams. Running calls are answered. A call in
   * flight is refused as not processed, and its caller repeats it.
   */
  askToLeave(): void;
  /** Takes no new calls, and closes each connection when its calls have ended. */
  shutDown(): void;
}

/** @param guard the limits of peers, shared with other servers; no limits without it */
export function createPolicyGrpcServer(
  settings: GrpcListenerSettings,
  services: readonly GrpcService[],
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
  const health = createHealthService(services.map(({ name }) => name));
  for (const service of services) service.addTo(server);
  health.addTo(server);

  return {
    take: (socket) => {
      if (guarded?.admits(socket) !== false) injector.injectConnection(socket);
    },
    setServing: health.setServing,
    askToLeave: () => {
      for (const session of sessions) if (!session.closed) session.close();
      endLogStreams();
    },
    shutDown: () => {
      health.setServing(false);
      server.tryShutdown(() => undefined);
      endLogStreams();
    },
  };
}
