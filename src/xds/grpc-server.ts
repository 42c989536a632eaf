import type { Socket } from 'node:net';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import { type GrpcListenerSettings, grpcServerOptions } from '../net/grpc-listener.js';
import type { GrpcService } from '../net/grpc-service.js';
import { createGrpcGuard, type GrpcGuard } from '../net/guard/grpc-guard.js';
import { DEFAULT_GRPC_LIMITS } from '../net/guard/grpc-limits.js';
import { createHealthService } from '../net/health-service.js';
import { rawStreamingMethod } from '../net/raw-method.js';
import { createTcpListener, type TcpListener } from '../net/tcp-listener.js';
import type { Logger } from '../telemetry/logger.js';
import type { CallGate } from './call-gate.js';
import { createDiscoveryCalls, type SessionHooks } from './discovery-calls.js';
import { addUnservedMethods, DISCOVERY_METHODS } from './discovery-services.js';
import { addLazyReflection } from './lazy-reflection.js';
import type { SessionEnvironment } from './session-environment.js';
import { type RawCall, serializeMessage } from './shared-write.js';
import { StreamError } from './stream-error.js';

export interface GrpcServer {
  /** @returns the port. @throws the system's error when the address cannot be had. */
  start(): Promise<number>;
  /** The health service answers SERVING from now on. */
  setServing(): void;
  /**
   * Ends streams well and waits until their ends have been sent, at most `graceMs`. Connections without a stream,
   * idle or half open, are cut off soon.
   */
  stop(graceMs: number): Promise<void>;
}

/** What a server has beyond plaintext discovery for everybody. */
export interface GrpcServerExtras {
  /** Takes the connections; over plain TCP unless given. */
  readonly createListener?: (take: (socket: Socket) => void) => TcpListener;
  /** What every discovery call passes; everybody may come in unless given. */
  readonly gate?: CallGate;
  /** Further services, which judge their callers themselves. */
  readonly services?: readonly GrpcService[];
  /** What peers may take, shared with other servers; a guard of its own with the default limits unless given. */
  readonly guard?: GrpcGuard;
}

/** How long a peer whose streams have ended may take to close its connection. */
const CLOSE_MS = 500;
/** How long a connection of a gated server may be without a call. */
const GATED_IDLE_MS = 60_000;

export function createGrpcServer(
  settings: GrpcListenerSettings,
  environment: SessionEnvironment,
  hooks: SessionHooks,
  logger: Logger,
  extras: GrpcServerExtras = {},
): GrpcServer {
  const { createListener = createTcpListener, gate, services = [] } = extras;
  // Whoever may not come in can still connect: not for longer than it is any use.
  const idle = gate === undefined ? {} : { maxConnectionIdleMs: GATED_IDLE_MS };
  const { guard = createGrpcGuard(DEFAULT_GRPC_LIMITS, environment.clock, () => undefined) } = extras;
  const guarded = guard.open({ services, maxMessageBytes: settings.maxReceiveMessageBytes });
  const server = new Server({
    ...grpcServerOptions({ ...idle, ...settings }),
    ...guarded.options,
    'grpc.max_send_message_length': -1,
  });
  // Where there is TLS, it ends in the listener.
  const injector = server.createConnectionInjector(ServerCredentials.createInsecure());
  guarded.protect(server);
  const listener = createListener((socket) => {
    if (guarded.admits(socket)) injector.injectConnection(socket);
  });
  const health = createHealthService([
    ...DISCOVERY_METHODS.map(({ service }) => service),
    ...services.map(({ name }) => name),
  ]);
  const calls = createDiscoveryCalls({ environment, hooks, logger, gate });

  for (const { service, method, onlyType } of DISCOVERY_METHODS) {
    server.addService(
      { [method]: rawStreamingMethod(`/${service}/${method}`, serializeMessage) },
      { [method]: (call: RawCall) => calls.serve(call, onlyType) },
    );
  }
  if (gate !== undefined) addUnservedMethods(server, gate);
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
      const hangUpLater = (delayMs: number): NodeJS.Timeout => setTimeout(listener.hangUp, delayMs);
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

/** What gRPC reflection describes. */
const REFLECTED_FILES = [
  'envoy/service/discovery/v3/ads.proto',
  'envoy/service/cluster/v3/cds.proto',
  'envoy/service/endpoint/v3/eds.proto',
  'envoy/service/listener/v3/lds.proto',
  'envoy/service/route/v3/rds.proto',
  'envoy/service/extension/v3/config_discovery.proto',
] as const;
