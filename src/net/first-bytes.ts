import type { Socket } from 'node:net';
import type { SocketClock } from './pending-handshakes.js';

export interface FirstBytesOptions<Kind> {
  readonly clock: SocketClock;
  /** Undefined while more bytes are needed. */
  classify(bytes: Buffer): Kind | undefined;
  /** Called once for each connection. The bytes that were read are put back. */
  take(socket: Socket, kind: Kind): void;
  /** Called before a connection is closed that sends too little. */
  refuse(socket: Socket, reason: string): void;
  /** A connection that has not sent enough after this time is closed. Default 10 s. */
  readonly timeoutMs?: number;
  /** Connections that have not sent enough yet. Beyond this number, the oldest of them is closed. Default 16,384. */
  readonly maxPending?: number;
}

const TIMEOUT_MS = 10_000;
const MAX_PENDING = 16_384;

/** Reads the first bytes of connections, so that one port serves several protocols. */
export function createFirstBytes<Kind>(options: FirstBytesOptions<Kind>): (socket: Socket) => void {
  const { clock, classify, take, refuse, timeoutMs = TIMEOUT_MS, maxPending = MAX_PENDING } = options;
  // In the order of arrival.
  const pending = new Map<Socket, () => void>();

  const settle = (socket: Socket): boolean => {
    pending.get(socket)?.();
    return pending.delete(socket);
  };
  const end = (socket: Socket, reason: string): void => {
    if (!settle(socket)) return;
    refuse(socket, reason);
    socket.destroy();
  };
  return (socket) => {
    const [oldest] = pending.keys();
    if (pending.size >= maxPending && oldest !== undefined) {
      end(oldest, `${maxPending} connections have sent nothing yet, and this one is the oldest`);
    }
    pending.set(
      socket,
      clock.schedule(timeoutMs, () => end(socket, `nothing was sent within ${timeoutMs / 1000} s`)),
    );
    let first: Buffer | undefined;
    const read = (bytes: Buffer): void => {
      first = first === undefined ? bytes : Buffer.concat([first, bytes]);
      const kind = classify(first);
      if (kind === undefined) return;
      socket.off('data', read);
      socket.pause();
      if (!settle(socket)) return;
      // The next reader of the connection reads these bytes first.
      socket.unshift(first);
      take(socket, kind);
    };
    socket.on('error', () => undefined);
    socket.once('close', () => settle(socket));
    socket.on('data', read);
    socket.resume();
  };
}
