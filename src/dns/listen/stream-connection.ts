import type { Socket } from 'node:net';
import type { Clock } from '../../base/clock.js';
import { createMessageReader, frameMessage } from '../framing.js';
import type { ClientMessage, DnsResolver } from '../resolver.js';

export interface StreamConnectionSettings {
  readonly resolver: DnsResolver;
  readonly transport: 'tcp' | 'tls';
  readonly address: string;
  /** A connection without a whole query or a sent answer in this time is closed. */
  readonly idleMs: number;
  readonly clock: Clock;
}

/** A query has a name of 255 bytes and some options. */
const MAX_QUERY_BYTES = 4_096;
/** Queries of one connection that wait for answers. Beyond it, no further ones are read. */
const MAX_WAITING = 64;
/** Answers that the client has not read. Beyond it, no further queries are read. */
const MAX_UNREAD_BYTES = 256 << 10;

/** Answers the queries of a connection, each as soon as its answer is there (RFC 7766). */
export function serveConnection(socket: Socket, settings: StreamConnectionSettings): void {
  const { resolver, transport, address, idleMs, clock } = settings;
  const reader = createMessageReader(MAX_QUERY_BYTES);
  let queue: Buffer[] = [];
  let waiting = 0;
  let cancelIdle: () => void = () => undefined;

  const restartIdle = (): void => {
    cancelIdle();
    if (!socket.destroyed) cancelIdle = clock.schedule(idleMs, () => socket.destroy());
  };
  const isFull = (): boolean => waiting >= MAX_WAITING || socket.writableLength > MAX_UNREAD_BYTES;

  const sent = (bytes: Buffer | undefined): void => {
    if (socket.destroyed) return;
    if (bytes === undefined) {
      // Beyond the rate. The client asks again later.
      socket.destroy();
      return;
    }
    socket.write(frameMessage(bytes), restartIdle);
  };
  const settled = (bytes: Buffer | undefined): void => {
    waiting--;
    sent(bytes);
    takeTurn();
  };
  const takeTurn = (): void => {
    while (queue.length > 0 && !isFull() && !socket.destroyed) {
      const message: ClientMessage = { bytes: queue.shift() as Buffer, transport, address, port: socket.remotePort };
      const answer = resolver.answer(message);
      if (!(answer instanceof Promise)) {
        sent(answer);
        continue;
      }
      waiting++;
      answer.then(settled, () => settled(undefined));
    }
    if (queue.length > 0 || isFull()) socket.pause();
    else socket.resume();
  };

  socket.on('error', () => undefined);
  socket.once('close', () => {
    cancelIdle();
    queue = [];
  });
  socket.on('drain', takeTurn);
  socket.on('data', (chunk: Buffer) => {
    const messages = reader.read(chunk);
    if (messages === undefined) {
      socket.destroy();
      return;
    }
    if (messages.length > 0) restartIdle();
    queue.push(...messages);
    takeTurn();
  });
  restartIdle();
  socket.resume();
}
