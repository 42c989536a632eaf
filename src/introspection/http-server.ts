import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Clock } from '../telemetry/clock.js';
import type { Logger } from '../telemetry/logger.js';
import { type ListenAddress, parseListenAddress } from './listen-address.js';
import { ListenError } from './listen-error.js';

/** Bounds on what one client may hold open, in milliseconds. */
export interface HttpTimeouts {
  /** From the connection to the end of the request's headers. Default 5,000. */
  readonly headersMs: number;
  /** From the connection to the end of the request. Default 10,000. */
  readonly requestMs: number;
  /** Without a byte in either direction, during an answer. Default 60,000. */
  readonly idleMs: number;
  /** How long a kept-alive connection may wait for its next request. Default 5,000. */
  readonly keepAliveMs: number;
  /** How long `stop` waits for running requests. Default 10,000 (BEHAVIOUR 2, "Shutdown"). */
  readonly graceMs: number;
}

const DEFAULT_TIMEOUTS: HttpTimeouts = {
  headersMs: 5000,
  requestMs: 10_000,
  idleMs: 60_000,
  keepAliveMs: 5000,
  graceMs: 10_000,
};

const MAX_CONNECTIONS = 1024;

export interface HttpServerOptions {
  /** Parsed, or as `parseListenAddress` reads it. */
  readonly address: ListenAddress | string;
  /** The flag that the address comes from, for errors: `--httpAddr`, `--monitoringAddr`. */
  readonly setting: string;
  /** Usually the app of `createHttpApp`; several servers may share it. */
  readonly app: RequestListener;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly timeouts?: Partial<HttpTimeouts>;
}

export interface HttpServer {
  /**
   * Opens the listener and says where, with the port that the system chose for port 0.
   *
   * @throws ListenError when the address cannot be had.
   */
  start(): Promise<ListenAddress>;
  /** Takes no new connections, lets running requests finish, and cuts off those that do not in time. */
  stop(): Promise<void>;
}

export function createHttpServer(options: HttpServerOptions): HttpServer {
  const { setting, logger, clock } = options;
  const address = typeof options.address === 'string' ? parseListenAddress(options.address) : options.address;
  const timeouts = { ...DEFAULT_TIMEOUTS, ...options.timeouts };
  const server = createBoundedServer(options.app, timeouts);
  let stopping: Promise<void> | undefined;

  const requests = countRequests(server, () => stopping !== undefined);

  const close = async (): Promise<void> => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    requests.hangUpOnIdle();
    const cancel = clock.schedule(timeouts.graceMs, () => {
      logger.warn({ setting, graceMs: timeouts.graceMs }, 'http requests cut off at shutdown');
      server.closeAllConnections();
    });
    await closed;
    cancel();
  };

  return {
    start: async () => {
      const bound = await listen(server, address, setting);
      server.on('error', (err) => logger.error({ err, setting }, 'http listener failed'));
      return bound;
    },
    stop: () => {
      stopping ??= server.listening ? close() : Promise.resolve();
      return stopping;
    },
  };
}

function createBoundedServer(app: RequestListener, timeouts: HttpTimeouts): Server {
  const server = createServer(
    {
      headersTimeout: timeouts.headersMs,
      requestTimeout: timeouts.requestMs,
      keepAliveTimeout: timeouts.keepAliveMs,
      connectionsCheckingInterval: Math.min(1000, timeouts.headersMs),
    },
    app,
  );
  server.timeout = timeouts.idleMs;
  server.maxConnections = MAX_CONNECTIONS;
  return server;
}

/**
 * Knows which connections have requests running. Node counts a connection as busy that has never sent a whole
 * request, and no longer times it out once the server closes.
 */
function countRequests(server: Server, isStopping: () => boolean): { hangUpOnIdle(): void } {
  const running = new Map<Socket, number>();
  server.on('connection', (socket) => {
    running.set(socket, 0);
    socket.once('close', () => running.delete(socket));
  });
  server.on('request', ({ socket }, response) => {
    running.set(socket, (running.get(socket) ?? 0) + 1);
    response.once('close', () => {
      const left = (running.get(socket) ?? 1) - 1;
      if (!socket.destroyed) running.set(socket, left);
      if (left === 0 && isStopping()) socket.destroySoon();
    });
  });
  return {
    hangUpOnIdle: () => {
      for (const [socket, count] of running) if (count === 0) socket.destroy();
    },
  };
}

function listen(server: Server, address: ListenAddress, setting: string): Promise<ListenAddress> {
  return new Promise((resolve, reject) => {
    const fail = (cause: Error): void => reject(new ListenError(setting, address, cause));
    server.once('error', fail);
    server.listen({ port: address.port, ...(address.host === '' ? {} : { host: address.host }) }, () => {
      server.off('error', fail);
      const bound = server.address() as AddressInfo;
      resolve({ host: bound.address, port: bound.port });
    });
  });
}
