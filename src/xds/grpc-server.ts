import { Server, ServerCredentials } from '@grpc/grpc-js';
import { HealthImplementation } from 'grpc-health-check';
import { type GrpcListenerSettings, grpcServerOptions } from '../net/grpc-listener.js';
import { rawStreamingMethod } from '../net/raw-method.js';
import { createTcpListener } from '../net/tcp-listener.js';
import type { Logger } from '../telemetry/logger.js';
import { DISCOVERY_METHODS } from './discovery-services.js';
import { createGrpcStream } from './grpc-stream.js';
import { addLazyReflection } from './lazy-reflection.js';
import { ProxySession, type SessionEnvironment } from './proxy-session.js';
import { http2StreamOf, type RawCall, serializeMessage } from './shared-write.js';
import { StreamError } from './stream-error.js';

export interface SessionHooks {
  closed(session: ProxySession): void;
}

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

/** How long a peer whose streams have ended may take to close its connection. */
const CLOSE_MS = 500;

export function createGrpcServer(
  settings: GrpcListenerSettings,
  environment: SessionEnvironment,
  hooks: SessionHooks,
  logger: Logger,
): GrpcServer {
  const server = new Server({ ...grpcServerOptions(settings), 'grpc.max_send_message_length': -1 });
  const injector = server.createConnectionInjector(ServerCredentials.createInsecure());
  const listener = createTcpListener((socket) => injector.injectConnection(socket));
  const health = new HealthImplementation({ '': 'NOT_SERVING' });
  const sessions = new Set<ProxySession>();
  const calls = createCallCount();

  const serve = (call: RawCall, onlyType: string | undefined): void => {
    const session = new ProxySession(environment, createGrpcStream(call), onlyType);
    sessions.add(session);
    calls.add(call);
    let open = true;
    const close = (): void => {
      if (!open) return;
      open = false;
      sessions.delete(session);
      session.close();
      hooks.closed(session);
    };
    call.on('data', (message: Buffer) => {
      try {
        session.receive(message);
      } catch (error) {
        if (!(error instanceof StreamError)) {
          environment.metrics.internalError();
          logger.error({ err: error, peer: call.getPeer() }, 'Discovery request failed');
        }
        const streamError =
          error instanceof StreamError ? error : new StreamError('INTERNAL', 'internal error', { cause: error });
        logger.info({ peer: call.getPeer(), code: streamError.code, reason: streamError.message }, 'Stream refused');
        session.end(streamError);
        close();
      }
    });
    call.on('end', () => session.finish());
    call.on('error', close);
    call.on('close', close);
    call.on('cancelled', close);
  };

  for (const { service, method, onlyType } of DISCOVERY_METHODS) {
    server.addService(
      { [method]: rawStreamingMethod(`/${service}/${method}`, serializeMessage) },
      { [method]: (call: RawCall) => serve(call, onlyType) },
    );
  }
  health.addToServer(server);
  addLazyReflection(server, REFLECTED_FILES);

  return {
    start: () => listener.listen(settings.host, settings.port),
    setServing: () => {
      for (const name of ['', ...DISCOVERY_METHODS.map(({ service }) => service)]) health.setStatus(name, 'SERVING');
    },
    stop: async (graceMs) => {
      health.setStatus('', 'NOT_SERVING');
      const closed = listener.close();
      for (const session of sessions) session.end(new StreamError('UNAVAILABLE', 'server is shutting down'));
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

/** Discovery calls that are on the wire still. */
function createCallCount(): { add(call: RawCall): void; whenNone(then: () => void): void } {
  let open = 0;
  let none: () => void = () => undefined;
  return {
    add: (call) => {
      open++;
      // The call itself counts as closed as soon as its end is decided, which is before it is sent.
      (http2StreamOf(call) ?? call).once('close', () => {
        open--;
        if (open === 0) none();
      });
    },
    whenNone: (then) => {
      none = then;
      if (open === 0) then();
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
