import { createServer, type RequestListener, type Server } from 'node:http';
import { createConnectionTable, type HttpLimits } from './connection-table.js';
import { createHttpIntake, type HttpRefusal } from './http-intake.js';

/** Timeouts of a client, in milliseconds. */
export interface HttpTimeouts {
  /** From the connection to the end of the request's headers. Default 5,000. */
  readonly headersMs: number;
  /** From the connection to the end of the request. Default 10,000. */
  readonly requestMs: number;
  /** Time without a byte in either direction during a response. Default 60,000. */
  readonly idleMs: number;
  /** How long a kept-alive connection may wait for its next request. Default 5,000. */
  readonly keepAliveMs: number;
  /** How long a shutdown waits for running requests. Default 10,000 (docs/reference/http.md#shutdown). */
  readonly graceMs: number;
}

export interface HttpConnectionsOptions {
  readonly timeouts: HttpTimeouts;
  readonly limits?: Partial<HttpLimits>;
  /** Called for each refusal. A peer can cause this at any rate, so limit the log lines. */
  onRefused?(refusal: HttpRefusal): void;
}

const DEFAULT_TIMEOUTS: HttpTimeouts = {
  headersMs: 5000,
  requestMs: 10_000,
  idleMs: 60_000,
  keepAliveMs: 5000,
  graceMs: 10_000,
};

const DEFAULT_LIMITS: HttpLimits = { maxConnections: 1024, maxConnectionsPerPeer: 512 };

export function httpTimeouts(given: Partial<HttpTimeouts> = {}): HttpTimeouts {
  return { ...DEFAULT_TIMEOUTS, ...given };
}

/** An HTTP server with bounded connections, with or without TLS below it. */
export interface HttpConnections {
  /** Listens itself, or gets connections with `emit('connection', socket)`. */
  readonly server: Server;
  /** Closes connections without a running request, and the others when their requests are done. */
  drain(): void;
}

/**
 * Serves an app with bounded connections (see `createConnectionTable`), one request at a time on each (see
 * `createHttpIntake`).
 */
export function createHttpConnections(app: RequestListener, options: HttpConnectionsOptions): HttpConnections {
  const { timeouts, onRefused = () => undefined } = options;
  const server = createServer(
    {
      headersTimeout: timeouts.headersMs,
      requestTimeout: timeouts.requestMs,
      keepAliveTimeout: timeouts.keepAliveMs,
      connectionsCheckingInterval: Math.min(1000, timeouts.headersMs),
    },
    createHttpIntake(app, onRefused),
  );
  server.timeout = timeouts.idleMs;
  const table = createConnectionTable({ ...DEFAULT_LIMITS, ...options.limits }, onRefused);
  server.on('connection', table.admit);
  server.on('request', table.began);
  return { server, drain: table.drain };
}
