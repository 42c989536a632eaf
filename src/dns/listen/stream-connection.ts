import type { Socket } from 'node:net';
import type { Clock } from '../../base/clock.js';
import type { BudgetHolder, SharedBudget } from '../../net/guard/shared-budget.js';
import type { ClientAddress } from '../client-address.js';
import { createMessageReader, frameMessage } from '../framing.js';
import { MAX_QUERY_BYTES } from '../query.js';
import type { ClientMessage, DnsResolver } from '../resolver.js';
import type { ConnectionStep, ConnectionTurns } from './connection-turns.js';

export interface StreamConnectionSettings {
  readonly resolver: DnsResolver;
  readonly transport: 'tcp' | 'tls';
  readonly from: ClientAddress;
  /** A connection without a whole query or a sent answer in this time is closed. */
  readonly idleMs: number;
  /** Bytes that this process keeps for connections. The budget ends a connection by destroying its socket. */
  readonly budget: SharedBudget<ConnectionBytes>;
  readonly turns: ConnectionTurns;
  readonly clock: Clock;
}

/** A connection as a holder of bytes: queries that wait, and answers that the client has not read. */
export interface ConnectionBytes extends BudgetHolder {
  readonly socket: Socket;
}

/** Queries of one connection that wait for answers. Beyond it, no further ones are read. */
const MAX_WAITING = 64;
/** Answers that the client has not read. Beyond it, no further queries are read. */
const MAX_UNREAD_BYTES = 64 << 10;

/** Answers the queries of a connection, each as soon as its answer is there (RFC 7766). */
export function serveConnection(socket: Socket, settings: StreamConnectionSettings): void {
  const { resolver, transport, from, idleMs, budget, turns, clock } = settings;
  const reader = createMessageReader(MAX_QUERY_BYTES);
  let queue: Buffer[] = [];
  let ready: (() => Buffer)[] = [];
  let queuedBytes = 0;
  let unreadBytes = 0;
  /** Queries whose answers are not there, and answers that are not sent. */
  let waiting = 0;
  const holder: ConnectionBytes = { group: from.client, socket };
  let cancelIdle: () => void = () => undefined;

  const restartIdle = (): void => {
    cancelIdle();
    if (!socket.destroyed) cancelIdle = clock.schedule(idleMs, () => socket.destroy());
  };
  const count = (): void => {
    const unread = socket.destroyed ? 0 : socket.writableLength;
    turns.countUnread(from.client, unread - unreadBytes);
    unreadBytes = unread;
    budget.set(holder, socket.destroyed ? 0 : unread + queuedBytes + reader.restBytes);
  };
  const isFull = (): boolean => socket.destroyed || socket.writableLength > MAX_UNREAD_BYTES;
  const maySend = (): boolean => ready.length > 0 && !isFull();
  const mayAnswer = (): boolean => queue.length > 0 && waiting < MAX_WAITING && !isFull();

  const sent = (bytes: Buffer | undefined): void => {
    if (socket.destroyed) return;
    if (bytes === undefined) {
      // Beyond the rate. The client asks again later.
      socket.destroy();
      return;
    }
    socket.write(frameMessage(bytes), () => {
      restartIdle();
      count();
    });
  };
  const answerNext: ConnectionStep = () => {
    if (maySend()) {
      waiting--;
      sent(ready.shift()?.());
    } else if (mayAnswer()) {
      const bytes = queue.shift() as Buffer;
      queuedBytes -= bytes.length;
      const message: ClientMessage = { bytes, transport, from, port: socket.remotePort };
      const answer = resolver.answer(message);
      if (answer instanceof Promise) {
        waiting++;
        answer.then(settled, () => socket.destroy());
      } else sent(answer);
    }
    count();
    if (queue.length === 0 && waiting < MAX_WAITING && !isFull()) socket.resume();
    else socket.pause();
    return maySend() || mayAnswer();
  };
  const settled = (make: () => Buffer): void => {
    ready.push(make);
    proceed();
  };
  const proceed = (): void => turns.add(from.client, answerNext);

  socket.on('error', () => undefined);
  socket.once('close', () => {
    cancelIdle();
    count();
    queue = [];
    ready = [];
  });
  socket.on('drain', proceed);
  socket.on('data', (chunk: Buffer) => {
    const messages = reader.read(chunk);
    if (messages === undefined) {
      socket.destroy();
      return;
    }
    if (messages.length > 0) restartIdle();
    queue.push(...messages);
    for (const { length } of messages) queuedBytes += length;
    count();
    if (queue.length === 0) return;
    // Further queries are read when these are answered.
    socket.pause();
    proceed();
  });
  restartIdle();
  socket.resume();
}
