import type { Socket } from 'node:net';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import { type GrpcListenerSettings, grpcServerOptions } from '../net/grpc-listener.js';
import type { GrpcService } from '../net/grpc-service.js';
import { createGrpcGuard, type GrpcGuard } from '../net/guard/grpc-guard.js';
import { DEFAULT_GRPC_LIMITS } from '../net/guard/grpc-limits.js';
import { createHealthService } from '../net/health-service.js';
import { rawStreamingMethod } from '../net/raw-method.js';
import { type ConnectionQueue, createTcpListener, type TcpListener } from '../net/tcp-listener.js';
import type { Logger } from '../telemetry/logger.js';
import type { CallGate } from './call-gate.js';
import { createClientStatusService } from './client-status/client-status-service.js';
import { createDiscoveryCalls, type SessionHooks } from './discovery-calls.js';
import { DISCOVERY_METHODS } from './discovery-services.js';
import { addLazyReflection } from './lazy-reflection.js';
import { createLoadReportService } from './load-reports/load-report-service.js';
import type { SessionEnvironment } from './session-environment.js';
import { type RawCall, serializeMessage } from './shared-write.js';
import { StreamError } from './stream-error.js';

export interface GrpcServer {
  /** @returns the port. @throws the system's error if the address cannot be bound. */
  start(): Promise<number>;
  /** The health service answers SERVING from now on. */
  setServing(): void;
  /**
   * Ends all streams and waits until their ends have been sent, at most `graceMs`. Connections without a stream, idle
   * or half open, are closed early.
   */
  stop(graceMs: number): Promise<void>;
}

/** Options of a server beyond plaintext discovery without authentication. */
export interface GrpcServerExtras {
  /** Accepts connections, and lets them wait in the queue. Default: plain TCP. */
  readonly createListener?: (take: (socket: Socket) => void, queue: ConnectionQueue) => TcpListener;
  /** Authenticates the callers of discovery calls. Default: callers are not authenticated. */
  readonly gate?: CallGate;
  /** Further services, which authenticate their callers themselves. */
  readonly services?: readonly GrpcService[];
  /** Limits of peers, shared with other servers. Default: a guard of this server with the default limits. */
  readonly guard?: GrpcGuard;
}

/** Time that a peer has to close its connection after its streams have ended. */
const CLOSE_MS = 500;
/** Time that a connection of a gated server may be without a call. */
const GATED_IDLE_MS = 60_000;

export function createGrpcServer(
  settings: GrpcListenerSettings,
  environment: SessionEnvironment,
  hooks: SessionHooks,
  logger: Logger,
  extras: GrpcServerExtras = {},
): GrpcServer {
  const { gate } = extras;
  const { connections, loads } = environment;
  const services = [
    ...(connections === undefined ? [] : [createClientStatusService({ environment, connections, gate })]),
    ...(loads === undefined ? [] : [createLoadReportService({ environment, loads, gate })]),
    ...(extras.services ?? []),
  ];
  // An unauthenticated caller can connect too. Its connection without a call is closed.
  const idle = gate === undefined ? {} : { maxConnectionIdleMs: GATED_IDLE_MS };
  const { guard = createGrpcGuard(DEFAULT_GRPC_LIMITS, environment.clock, () => undefined) } = extras;
  const guarded = guard.open({ services, maxMessageBytes: settings.maxReceiveMessageBytes });
  const server = new Server({
    ...grpcServerOptions({ ...idle, ...settings }),
    ...guarded.options,
    'grpc.max_send_message_length': -1,
  });
  // The listener terminates TLS.
  const injector = server.createConnectionInjector(ServerCredentials.createInsecure());
  guarded.protect(server);
  const take = (socket: Socket): void => {
    if (guarded.admits(socket)) injector.injectConnection(socket);
  };
  const listener = extras.createListener?.(take, guard.arrive) ?? createTcpListener(take, guard.arrive);
  const health = createHealthService([
    ...new Set(DISCOVERY_METHODS.map(({ service }) => service)),
    ...services.map(({ name }) => name),
  ]);
  const calls = createDiscoveryCalls({ environment, hooks, logger, gate });

  for (const { service, method, onlyType, variant, isUnary = false } of DISCOVERY_METHODS) {
    server.addService(
      { [method]: rawStreamingMethod(`/${service}/${method}`, serializeMessage) },
      { [method]: (call: RawCall) => calls.serve(call, { onlyType, variant, isUnary }) },
    );
  }
  for (const service of services) service.addTo(server);
  health.addTo(server);
  addLazyReflection(server, REFLECTED_FILES, gate);

  return {
    start: () => listener.listen(settings.host, settings.port),
    setServing: () => health.setServing(true),
    stop: async (graceMs) => {
      health.setServing(false);
      const closed = listener.close();
      calls.endAll(new StreamError('UNAVAILABLE', 'server is shutting down'));
      for (const service of services) service.endStreams?.();
      server.tryShutdown(() => undefined);
      // A process that was not scheduled sends what it has written first.
      const hangUpLater = (delayMs: number): NodeJS.Timeout => setTimeout(() => setImmediate(listener.hangUp), delayMs);
      const force = hangUpLater(graceMs);
      let soon: NodeJS.Timeout | undefined;
      calls.whenNone(() => {
        soon = hangUpLater(CLOSE_MS);
      });
      await closed;
      clearTimeout(force);
      clearTimeout(soon);
    },
  };
}

/** The files whose services gRPC reflection describes. */
const REFLECTED_FILES = [
  'envoy/service/discovery/v3/ads.proto',
  'envoy/service/cluster/v3/cds.proto',
  'envoy/service/endpoint/v3/eds.proto',
  'envoy/service/listener/v3/lds.proto',
  'envoy/service/route/v3/rds.proto',
  'envoy/service/extension/v3/config_discovery.proto',
  'envoy/service/load_stats/v3/lrs.proto',
  'envoy/service/status/v3/csds.proto',
] as const;
