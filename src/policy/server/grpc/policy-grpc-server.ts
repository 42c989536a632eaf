import { Server, ServerCredentials } from '@grpc/grpc-js';
import { HealthImplementation } from 'grpc-health-check';
import { type GrpcListenerSettings, grpcServerOptions } from '../../../net/grpc-listener.js';
import type { GrpcService } from '../../../net/grpc-service.js';
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
  const names = ['', ...services.map(({ name }) => name)];
  const health = new HealthImplementation(Object.fromEntries(names.map((name) => [name, 'NOT_SERVING' as const])));
  for (const service of services) service.addTo(server);
  health.addToServer(server);

  return {
    start: () => listener.listen(settings.host, settings.port),
    setServing: () => {
      for (const name of names) health.setStatus(name, 'SERVING');
    },
    async stop(graceMs) {
      for (const name of names) health.setStatus(name, 'NOT_SERVING');
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
