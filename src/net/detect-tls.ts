import type { Socket } from 'node:net';
import type { SocketClock } from './pending-handshakes.js';

/** Protocol of a connection by its first byte. */
export type FirstByte = 'tls' | 'plaintext';

export interface TlsDetectionLimits {
  /** A connection that sends nothing for this time is closed. Default 10 s. */
  readonly timeoutMs?: number;
  /** Connections that have sent nothing yet. Beyond this number, the oldest of them is closed. Default 16,384. */
  readonly maxPending?: number;
}

const TIMEOUT_MS = 10_000;
const MAX_PENDING = 16_384;
/** Type of a TLS record that contains handshake messages; no HTTP/2 preface begins with it. */
const HANDSHAKE_RECORD = 0x16;

/**
 * Distinguishes TLS from plaintext by the first byte, so that one port serves both. The bytes that were read are put
 * back.
 *
 * @param take called once for each connection, after its first bytes arrive
 * @param refuse called before a silent connection is closed
 */
export function createTlsDetector(
  clock: SocketClock,
  take: (socket: Socket, first: FirstByte) => void,
  refuse: (socket: Socket, reason: string) => void,
  { timeoutMs = TIMEOUT_MS, maxPending = MAX_PENDING }: TlsDetectionLimits = {},
): (socket: Socket) => void {
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
    socket.on('error', () => undefined);
    socket.once('close', () => settle(socket));
    socket.once('data', (bytes: Buffer) => {
      socket.pause();
      if (!settle(socket)) return;
      // The next reader of the connection reads these bytes first.
      socket.unshift(bytes);
      take(socket, bytes[0] === HANDSHAKE_RECORD ? 'tls' : 'plaintext');
    });
  };
}
