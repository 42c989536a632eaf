import { createServer, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';

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
  /** How long a stop waits for running requests. Default 10,000 (BEHAVIOUR 2, "Shutdown"). */
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

export function httpTimeouts(given: Partial<HttpTimeouts> = {}): HttpTimeouts {
  return { ...DEFAULT_TIMEOUTS, ...given };
}

/** An HTTP server whose clients cannot hold it up, with or without TLS below it. */
export interface HttpConnections {
  /** Listens by itself, or is handed connections with `emit('connection', socket)`. */
  readonly server: Server;
  /** Hangs up on connections without a running request, on the others when their requests are done. */
  drain(): void;
}

/** Holds at most 1,024 connections: for one more, the one goes that has waited longest without a request. */
export function createHttpConnections(
  app: RequestListener,
  timeouts: HttpTimeouts,
  maxConnections = MAX_CONNECTIONS,
): HttpConnections {
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
  return { server, drain: countRequests(server, maxConnections) };
}

/**
 * Knows which connections have requests running. Node counts a connection as busy that has never sent a whole
 * request, and no longer times it out once the server closes.
 *
 * @returns drains them
 */
function countRequests(server: Server, maxConnections: number): () => void {
  const running = new Map<Socket, number>();
  let draining = false;
  const admit = (socket: Socket): boolean => {
    if (running.size < maxConnections) return true;
    for (const [other, count] of running) {
      if (count > 0) continue;
      running.delete(other);
      other.destroy();
      return true;
    }
    socket.destroy();
    return false;
  };
  server.on('connection', (socket) => {
    if (!admit(socket)) return;
    running.set(socket, 0);
    socket.once('close', () => running.delete(socket));
  });
  server.on('request', ({ socket }, response) => {
    running.set(socket, (running.get(socket) ?? 0) + 1);
    response.once('close', () => {
      const left = (running.get(socket) ?? 1) - 1;
      if (!socket.destroyed) {
        // Last of those that wait.
        running.delete(socket);
        running.set(socket, left);
      }
      if (left === 0 && draining) socket.destroySoon();
    });
  });
  return () => {
    draining = true;
    for (const [socket, count] of running) if (count === 0) socket.destroy();
  };
}
