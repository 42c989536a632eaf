import type { Socket } from 'node:net';
import { createFirstBytes } from './first-bytes.js';
import type { SocketClock } from './pending-handshakes.js';

/** Version of HTTP of a connection. */
export type HttpVersion = 'http/1.1' | 'h2';

/** The first bytes of the preface of HTTP/2 (RFC 9113, 3.4). No method of HTTP has this name. */
const PREFACE = Buffer.from('PRI ');

/**
 * Distinguishes the versions of HTTP by the first bytes, so that one port serves both.
 *
 * @param take called once for each connection
 * @param refuse called before a silent connection is closed
 */
export function createHttpVersionDetector(
  clock: SocketClock,
  take: (socket: Socket, version: HttpVersion) => void,
  refuse: (socket: Socket, reason: string) => void,
): (socket: Socket) => void {
  return createFirstBytes({ clock, classify: versionOf, take, refuse });
}

function versionOf(first: Buffer): HttpVersion | undefined {
  const length = Math.min(first.length, PREFACE.length);
  if (PREFACE.compare(first, 0, length, 0, length) !== 0) return 'http/1.1';
  return length === PREFACE.length ? 'h2' : undefined;
}
