import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
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

/**
 * Holds at most 1,024 connections. For one more, the one goes that has waited longest without a request; when all have
 * one, the one whose body has been on its way in the longest; when all wait for answers, the new one.
 */
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

/** What a connection does. */
interface Activity {
  /** Requests that run, those that are still on their way in too. */
  running: number;
  /** The last one that began. */
  last: IncomingMessage | undefined;
}

/**
 * Knows which connections have requests running. Node counts a connection as busy that has never sent a whole
 * request, and no longer times it out once the server closes.
 *
 * @returns drains them
 */
function countRequests(server: Server, maxConnections: number): () => void {
  // In the order in which they came, or had their last request done.
  const connections = new Map<Socket, Activity>();
  let draining = false;
  const hangUpOnFirst = (isExpendable: (activity: Activity) => boolean): boolean => {
    for (const [socket, activity] of connections) {
      if (!isExpendable(activity)) continue;
      connections.delete(socket);
      socket.destroy();
      return true;
    }
    return false;
  };
  const admit = (socket: Socket): boolean => {
    if (connections.size < maxConnections) return true;
    // Whoever takes long to say what he wants goes before whoever waits for an answer.
    if (hangUpOnFirst(({ running }) => running === 0)) return true;
    if (hangUpOnFirst(({ running, last }) => running === 1 && last?.complete === false)) return true;
    socket.destroy();
    return false;
  };
  server.on('connection', (socket) => {
    if (!admit(socket)) return;
    connections.set(socket, { running: 0, last: undefined });
    socket.once('close', () => connections.delete(socket));
  });
  server.on('request', (request, response) => {
    const { socket } = request;
    const activity = connections.get(socket);
    if (activity === undefined) return;
    activity.running++;
    activity.last = request;
    response.once('close', () => {
      activity.running--;
      if (connections.delete(socket) && !socket.destroyed) connections.set(socket, activity);
      if (activity.running === 0 && draining) socket.destroySoon();
    });
  });
  return () => {
    draining = true;
    for (const [socket, { running }] of connections) if (running === 0) socket.destroy();
  };
}
