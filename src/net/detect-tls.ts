import type { Socket } from 'node:net';
import { createFirstBytes, type FirstBytesOptions } from './first-bytes.js';
import type { SocketClock } from './pending-handshakes.js';

/** Protocol of a connection by its first byte. */
type FirstByte = 'tls' | 'plaintext';

/** Type of a TLS record that contains handshake messages; no request of HTTP begins with it. */
const HANDSHAKE_RECORD = 0x16;

/**
 * Distinguishes TLS from plaintext by the first byte, so that one port serves both.
 *
 * @param take called once for each connection, after its first bytes arrive
 * @param refuse called before a silent connection is closed
 */
export function createTlsDetector(
  clock: SocketClock,
  take: (socket: Socket, first: FirstByte) => void,
  refuse: (socket: Socket, reason: string) => void,
  limits: Pick<FirstBytesOptions<FirstByte>, 'timeoutMs'> = {},
): (socket: Socket) => void {
  const classify = ([first]: Buffer): FirstByte => (first === HANDSHAKE_RECORD ? 'tls' : 'plaintext');
  return createFirstBytes({ clock, classify, take, refuse, ...limits });
}
