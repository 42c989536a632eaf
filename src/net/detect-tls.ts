import type { Socket } from 'node:net';
import type { SocketClock } from './pending-handshakes.js';

/** What the first byte of a connection says it is. */
export type FirstByte = 'tls' | 'plaintext';

export interface TlsDetectionLimits {
  /** A connection that sends nothing for this long is closed. 10 s unless given. */
  readonly timeoutMs?: number;
  /** Connections that have sent nothing yet; beyond it the one that has waited longest is closed. 16,384 unless given. */
  readonly maxPending?: number;
}

const TIMEOUT_MS = 10_000;
const MAX_PENDING = 16_384;
/** Type of a TLS record with handshake messages; no HTTP/2 preface begins with it. */
const HANDSHAKE_RECORD = 0x16;

/**
 * Tells TLS from plaintext by the first byte, so that one port takes both. The bytes that were read are put back.
 *
 * @param take called once for each connection, when its first bytes have come
 * @param refuse called before a connection is closed that said nothing
 */
export function createTlsDetector(
  clock: SocketClock,
  take: (socket: Socket, first: FirstByte) => void,
  refuse: (socket: Socket, reason: string) => void,
  { timeoutMs = TIMEOUT_MS, maxPending = MAX_PENDING }: TlsDetectionLimits = {},
): (socket: Socket) => void {
  // In the order of their arrival.
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
      end(oldest, `of ${maxPending} connections that have sent nothing yet, it has waited longest`);
    }
    pending.set(
      socket,
      clock.schedule(timeoutMs, () => end(socket, `nothing was sent within ${timeoutMs / 1000} s`)),
    );
    socket.on('error', () => undefined);
    socket.once('close', () => settle(socket));
    socket.once('data', (bytes: Buffer) => {
      socket.pause();
      if (!settle(socket)) return;
      // Whoever takes the connection finds these bytes first.
      socket.unshift(bytes);
      take(socket, bytes[0] === HANDSHAKE_RECORD ? 'tls' : 'plaintext');
    });
  };
}
