import type { Socket } from 'node:net';
import type { Clock } from '../../base/clock.js';
import { createMessageReader, frameMessage } from '../framing.js';
import { readUpstreamResponse, type UpstreamResponse } from '../upstream-response.js';
import { endLoopOf, type Outstanding, UpstreamError, type UpstreamQuery, type UpstreamServer } from './exchange.js';
import { freeId } from './udp-server.js';

export interface StreamServerSettings {
  /** For messages. */
  readonly name: string;
  /** Opens a connection, over TLS where the server demands it. */
  connect(): Socket;
  readonly clock: Clock;
}

/** A connection without queries is closed after this time. */
const IDLE_MS = 10_000;
const MAX_MESSAGE_BYTES = 65_535;

interface Connection {
  readonly socket: Socket;
  readonly waiting: Map<number, Outstanding & { take(bytes: Buffer): boolean }>;
  cancelIdle(): void;
}

/** An upstream server over TCP or TLS. Queries share one connection, and responses come in any order. */
export function createStreamServer({ name, connect, clock }: StreamServerSettings): UpstreamServer {
  let current: Connection | undefined;

  const drop = (connection: Connection, error: UpstreamError): void => {
    if (current === connection) current = undefined;
    connection.cancelIdle();
    connection.socket.destroy();
    for (const { fail } of [...connection.waiting.values()]) fail(error);
  };

  const open = (): Connection => {
    // Queries wait in the buffer of the socket until it is connected.
    const socket = connect();
    socket.setNoDelay(true);
    const connection: Connection = { socket, waiting: new Map(), cancelIdle: () => undefined };
    const reader = createMessageReader(MAX_MESSAGE_BYTES);
    socket.on('data', (chunk: Buffer) => {
      for (const message of reader.read(chunk) ?? []) {
        connection.waiting.get(message.length < 2 ? -1 : message.readUInt16BE(0))?.take(message);
      }
    });
    socket.on('error', (cause: Error) => drop(connection, new UpstreamError('connection', cause.message, { cause })));
    socket.on('close', () => drop(connection, new UpstreamError('connection', 'the server closed the connection')));
    current = connection;
    return connection;
  };

  const closeWhenIdle = (connection: Connection): void => {
    if (connection.waiting.size > 0) return;
    connection.cancelIdle();
    connection.cancelIdle = clock.schedule(IDLE_MS, () =>
      drop(connection, new UpstreamError('connection', 'the connection had no queries')),
    );
  };

  const send = ({ message, question }: UpstreamQuery, timeoutMs: number): Promise<UpstreamResponse> => {
    const connection = current ?? open();
    connection.cancelIdle();
    const id = freeId(connection.waiting);
    return new Promise((resolve, reject) => {
      const end = (): void => {
        cancel();
        connection.waiting.delete(id);
        closeWhenIdle(connection);
      };
      const cancel = clock.schedule(timeoutMs, () => {
        const error = new UpstreamError('timeout', `no response within ${timeoutMs / 1000} s`);
        // A connection on which nothing arrives may be broken, so the next query opens another one.
        if (current === connection) current = undefined;
        end();
        reject(error);
      });
      connection.waiting.set(id, {
        question,
        get port() {
          return connection.socket.localPort;
        },
        fail: (error) => {
          end();
          reject(error);
        },
        take: (bytes) => {
          const response = readUpstreamResponse(bytes, id, question);
          if (response === undefined) return false;
          end();
          resolve(response);
          return true;
        },
      });
      const bytes = Buffer.from(message);
      bytes.writeUInt16BE(id, 0);
      connection.socket.write(frameMessage(bytes));
    });
  };

  return {
    name,
    exchange: async (query, timeoutMs) => {
      const startMs = clock.monotonicMs();
      const used = current;
      try {
        return await send(query, timeoutMs);
      } catch (error) {
        // A server may close an idle connection at the moment when a query is sent.
        const isStale = used !== undefined && error instanceof UpstreamError && error.problem === 'connection';
        const leftMs = timeoutMs - (clock.monotonicMs() - startMs);
        if (!isStale || leftMs <= 0) throw error;
        return send(query, leftMs);
      }
    },
    endLoop: (id, question, port) => endLoopOf(current?.waiting.get(id), question, port),
    stop: () => {
      if (current !== undefined) drop(current, new UpstreamError('connection', 'the server stops'));
    },
  };
}
