import { Server, ServerCredentials } from '@grpc/grpc-js';
import { type GrpcListenerSettings, grpcServerOptions } from '../../../net/grpc-listener.js';
import type { GrpcService } from '../../../net/grpc-service.js';
import { createHealthService } from '../../../net/health-service.js';
import { createTcpListener } from '../../../net/tcp-listener.js';

/** The policy server's own address. */
export interface PolicyGrpcServer {
  /** @returns the port. @throws the system's error when the address cannot be had. */
  start(): Promise<number>;
  /** The health service answers SERVING from now on. */
  setServing(): void;
  /** Answers the Checks that have begun, ends log streams, and settles when all connections are closed. */
  stop(graceMs: number): Promise<void>;
}

export function createPolicyGrpcServer(
  settings: GrpcListenerSettings,
  services: readonly GrpcService[],
): PolicyGrpcServer {
  const server = new Server(grpcServerOptions(settings));
  // Listening by ourselves, for errors of the system that name their cause, and ends that do end.
  const injector = server.createConnectionInjector(ServerCredentials.createInsecure());
  const listener = createTcpListener((socket) => injector.injectConnection(socket));
  const health = createHealthService(services.map(({ name }) => name));
  for (const service of services) service.addTo(server);
  health.addTo(server);

  return {
    start: () => listener.listen(settings.host, settings.port),
    setServing: () => health.setServing(true),
    async stop(graceMs) {
      health.setServing(false);
      const closed = listener.close();
      // No new calls; connections are closed when their calls have ended.
      server.tryShutdown(() => undefined);
      for (const { endStreams } of services) endStreams?.();
      const force = setTimeout(listener.hangUp, graceMs);
      await closed;
      clearTimeout(force);
    },
  };
}
