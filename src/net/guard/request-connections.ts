import type { Socket } from 'node:net';
import { addCount } from '../../base/key-counts.js';
import { HeadReader } from '../http1/head-reader.js';
import type { SocketClock } from '../pending-handshakes.js';
import { addressKey } from './address-key.js';
import type { GrpcLimitName, GrpcLimits } from './grpc-limits.js';
import { SharedBudget } from './shared-budget.js';

/** A connection on which requests come one after the other. */
export interface RequestConnection {
  readonly socket: Socket;
  /** Key of the limits per address. */
  readonly group: string;
  /** Address and port. */
  readonly peer: string;
}

/**
 * Answers a request.
 *
 * @param head of the request, without the empty line at its end. Requests have no body
 * @returns the whole response, one character for each byte; a rejection closes the connection
 */
export type AnswerRequest = (head: string, connection: RequestConnection) => string | Promise<string>;

/** Connections of HTTP/1.1 requests without bodies, as Envoy sends Checks. */
export interface RequestConnections {
  /** @param socket of which no byte is read, or whose first bytes were put back */
  take(socket: Socket): void;
  /** From now on, each connection is closed with its next response, so that its peer connects again. */
  askToLeave(): void;
  /** Takes no more connections. Closes those without a request at once, and the others with their response. */
  drain(): void;
}

export interface RequestConnectionsOptions {
  readonly limits: GrpcLimits;
  readonly clock: SocketClock;
  readonly answer: AnswerRequest;
  /** Age of a connection from which it is closed with its next response. */
  readonly maxAgeMs: number;
  /** Connections of all peers. Default 32,768. */
  readonly maxConnections?: number;
  /** Connections of one address. Default 24,576. */
  readonly maxConnectionsPerAddress?: number;
  /** Called for each limit that a peer reaches. @returns the error text for the peer */
  readonly reached: (
    connection: Pick<RequestConnection, 'group' | 'peer'>,
    limit: GrpcLimitName,
    value: number,
  ) => string;
}

const MAX_CONNECTIONS = 32_768;
const MAX_CONNECTIONS_PER_ADDRESS = 24_576;
/** Longer than Envoy keeps an idle connection, so that no request meets a connection that is being closed. */
const IDLE_MS = 300_000;
/** Responses that the peer has not read. */
const MAX_UNREAD_BYTES = 65_536;
const LOOK_MS = 1000;

class Connection implements RequestConnection {
  readonly socket: Socket;
  readonly group: string;
  readonly reader = new HeadReader();
  readonly openedMs: number;
  /** When its last response was written, or its incomplete request began. */
  sinceMs: number;
  isProven = false;
  isAnswering = false;
  isClosing = false;

  constructor(socket: Socket, nowMs: number) {
    this.socket = socket;
    this.group = addressKey(socket.remoteAddress);
    this.openedMs = nowMs;
    this.sinceMs = nowMs;
  }

  get peer(): string {
    return `${this.socket.remoteAddress}:${this.socket.remotePort}`;
  }
}

/**
 * Reads one request at a time from each connection. Connections are limited in number, incomplete requests in bytes and
 * time; a peer that sends before it has its response, or does not read its responses, loses its connection.
 */
export function createRequestConnections(options: RequestConnectionsOptions): RequestConnections {
  const { limits, clock, answer, maxAgeMs, reached } = options;
  const { maxConnections = MAX_CONNECTIONS, maxConnectionsPerAddress = MAX_CONNECTIONS_PER_ADDRESS } = options;
  const all = new Set<Connection>();
  const perAddress = new Map<string, number>();
  // Each in the order of `sinceMs`.
  const idle = new Set<Connection>();
  const incomplete = new Set<Connection>();
  const unproven = new Set<Connection>();
  let isLooking = false;
  let isLeaving = false;
  let isDraining = false;

  const refuse = (connection: Connection, limit: GrpcLimitName, value: number): void => {
    const text = reached(connection, limit, value);
    const { socket } = connection;
    forget(connection);
    socket.removeAllListeners('data');
    socket.resume();
    // Envoy takes status 500 for an error of the server, and not for the refusal of a request.
    if (!connection.isAnswering) socket.write(withoutKeepAlive(errorResponse(text)), 'latin1');
    socket.destroySoon();
  };
  const bytes = new SharedBudget<Connection>(
    { max: limits.grpcMaxIncompleteBytes, maxPerGroup: limits.grpcMaxIncompleteBytesPerAddress },
    (connection, over) => {
      if (over === 'all') refuse(connection, 'incomplete_bytes', limits.grpcMaxIncompleteBytes);
      else refuse(connection, 'incomplete_bytes_per_address', limits.grpcMaxIncompleteBytesPerAddress);
    },
  );
  const unprovenCount = new SharedBudget<Connection>(
    { max: limits.grpcMaxUnprovenConnections, maxPerGroup: limits.grpcMaxUnprovenConnectionsPerAddress },
    (connection, over) => {
      if (over === 'all') refuse(connection, 'unproven_connections', limits.grpcMaxUnprovenConnections);
      else refuse(connection, 'unproven_connections_per_address', limits.grpcMaxUnprovenConnectionsPerAddress);
    },
  );

  const forget = (connection: Connection): void => {
    if (!all.delete(connection)) return;
    idle.delete(connection);
    incomplete.delete(connection);
    unproven.delete(connection);
    bytes.set(connection, 0);
    unprovenCount.set(connection, 0);
    addCount(perAddress, connection.group, -1);
  };

  const look = (): void => {
    const nowMs = clock.monotonicMs();
    for (const connection of unproven) {
      if (nowMs - connection.openedMs < limits.grpcUnprovenTimeoutMs) break;
      refuse(connection, 'unproven_timeout', limits.grpcUnprovenTimeoutMs);
    }
    for (const connection of incomplete) {
      if (nowMs - connection.sinceMs < limits.grpcMessageTimeoutMs) break;
      refuse(connection, 'message_timeout', limits.grpcMessageTimeoutMs);
    }
    for (const connection of idle) {
      if (nowMs - connection.sinceMs < IDLE_MS) break;
      connection.socket.destroy();
      forget(connection);
    }
    isLooking = all.size > 0;
    if (isLooking) clock.schedule(LOOK_MS, look);
  };

  const write = (connection: Connection, response: string): void => {
    const { socket } = connection;
    connection.isAnswering = false;
    if (socket.destroyed) return;
    const nowMs = clock.monotonicMs();
    if (isLeaving || connection.isClosing || nowMs - connection.openedMs >= maxAgeMs) {
      forget(connection);
      socket.end(withoutKeepAlive(response), 'latin1');
      return;
    }
    socket.write(response, 'latin1');
    if (socket.writableLength > MAX_UNREAD_BYTES) {
      reached(connection, 'unread_responses', MAX_UNREAD_BYTES);
      socket.destroy();
      return;
    }
    connection.sinceMs = nowMs;
    idle.add(connection);
  };

  const serve = (connection: Connection, head: string): void => {
    idle.delete(connection);
    if (!connection.isProven) {
      connection.isProven = true;
      unproven.delete(connection);
      unprovenCount.set(connection, 0);
    }
    connection.isAnswering = true;
    const response = answer(head, connection);
    if (typeof response === 'string') write(connection, response);
    else {
      response.then(
        (settled) => write(connection, settled),
        () => connection.socket.destroy(),
      );
    }
  };

  const read = (connection: Connection, chunk: Buffer): void => {
    if (connection.isAnswering) {
      refuse(connection, 'early_requests', 1);
      return;
    }
    const { reader } = connection;
    const { heldBytes } = reader;
    const read = reader.take(chunk);
    switch (read.type) {
      case 'head':
        if (heldBytes > 0) {
          incomplete.delete(connection);
          bytes.set(connection, 0);
        }
        if (heldBytes + chunk.length > limits.grpcMaxCheckBytes)
          refuse(connection, 'message_size', limits.grpcMaxCheckBytes);
        else serve(connection, read.text);
        return;
      case 'excess':
        refuse(connection, 'early_requests', 1);
        return;
      case 'incomplete':
        if (reader.heldBytes > limits.grpcMaxCheckBytes) {
          refuse(connection, 'message_size', limits.grpcMaxCheckBytes);
          return;
        }
        if (heldBytes === 0) {
          idle.delete(connection);
          connection.sinceMs = clock.monotonicMs();
          incomplete.add(connection);
        }
        bytes.set(connection, reader.heldBytes);
    }
  };

  const hasRoom = (connection: Connection): boolean => {
    if ((perAddress.get(connection.group) ?? 0) >= maxConnectionsPerAddress) {
      reached(connection, 'http_connections_per_address', maxConnectionsPerAddress);
      return false;
    }
    if (all.size < maxConnections) return true;
    const [idlest] = idle;
    reached(idlest ?? connection, 'http_connections', maxConnections);
    if (idlest === undefined) return false;
    idlest.socket.destroy();
    forget(idlest);
    return true;
  };

  return {
    take: (socket) => {
      const connection = new Connection(socket, clock.monotonicMs());
      socket.on('error', () => undefined);
      if (isDraining || !hasRoom(connection)) {
        socket.destroy();
        return;
      }
      all.add(connection);
      addCount(perAddress, connection.group, 1);
      unproven.add(connection);
      unprovenCount.set(connection, 1);
      socket.once('close', () => forget(connection));
      socket.setNoDelay(true);
      socket.on('data', (chunk: Buffer) => read(connection, chunk));
      socket.resume();
      if (isLooking) return;
      isLooking = true;
      clock.schedule(LOOK_MS, look);
    },
    askToLeave: () => {
      for (const connection of all) connection.isClosing = true;
    },
    drain: () => {
      isLeaving = true;
      isDraining = true;
      for (const connection of all) {
        const isBusy = connection.isAnswering || connection.reader.heldBytes > 0;
        if (!isBusy) connection.socket.destroy();
      }
    },
  };
}

/** The response to a request that is not answered. Envoy's fail policy then decides. */
export function errorResponse(text: string, status = '500 Internal Server Error'): string {
  const body = Buffer.from(text).toString('latin1');
  const headers = `content-type: text/plain; charset=utf-8\r\ncontent-length: ${body.length}`;
  return `HTTP/1.1 ${status}\r\n${headers}\r\n\r\n${body}`;
}

/** The response, after which the connection is closed. */
export function withoutKeepAlive(response: string): string {
  const lineEnd = response.indexOf('\r\n');
  return `${response.slice(0, lineEnd)}\r\nconnection: close${response.slice(lineEnd)}`;
}
