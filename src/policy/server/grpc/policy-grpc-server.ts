import { Server, ServerCredentials, type ServerOptions } from '@grpc/grpc-js';
import { HealthImplementation } from 'grpc-health-check';
import { createTcpListener } from '../../../net/tcp-listener.js';
import type { GrpcService } from './grpc-service.js';

/** Limits and times of the policy server's listener. */
export interface PolicyGrpcSettings {
  /** Empty for every interface. */
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  readonly keepaliveIntervalMs: number;
  readonly keepaliveTimeoutMs: number;
  /** More than a timer can hold means for ever. */
  readonly maxConnectionAgeMs: number;
  /** Of one connection: an Envoy's Checks share one. */
  readonly maxConcurrentStreams: number;
  readonly maxReceiveMessageBytes: number;
}

/** The policy server's own address. */
export interface PolicyGrpcServer {
  /** @returns the port. @throws the system's error when the address cannot be had. */
  start(): Promise<number>;
  /** The health service answers SERVING from now on. */
  setServing(): void;
  /** Answers the Checks that have begun, ends log streams, and settles when all connections are closed. */
  stop(graceMs: number): Promise<void>;
}

const MAX_TIMER_MS = 2 ** 31 - 1;
/** How long a connection past its age may finish what it does. */
const AGE_GRACE_MS = 10_000;

export function createPolicyGrpcServer(
  settings: PolicyGrpcSettings,
  services: readonly GrpcService[],
): PolicyGrpcServer {
  const server = new Server(serverOptions(settings));
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

function serverOptions(settings: PolicyGrpcSettings): ServerOptions {
  return {
    'grpc.max_concurrent_streams': settings.maxConcurrentStreams,
    'grpc.max_receive_message_length': settings.maxReceiveMessageBytes,
    // Counting every message for a debug service that is not served costs more than some messages.
    'grpc.enable_channelz': 0,
    'grpc.keepalive_time_ms': Math.min(settings.keepaliveIntervalMs, MAX_TIMER_MS),
    'grpc.keepalive_timeout_ms': Math.min(settings.keepaliveTimeoutMs, MAX_TIMER_MS),
    ...(settings.maxConnectionAgeMs <= MAX_TIMER_MS
      ? {
          'grpc.max_connection_age_ms': settings.maxConnectionAgeMs,
          'grpc.max_connection_age_grace_ms': AGE_GRACE_MS,
        }
      : {}),
  };
}
