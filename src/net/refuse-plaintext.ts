import type { Socket } from 'node:net';

const GOAWAY = 0x7;
/** RFC 9113 section 7: the connection does not meet the server's requirements of security. */
const INADEQUATE_SECURITY = 0xc;
const EMPTY_SETTINGS = Buffer.from([0, 0, 0, 0x4, 0, 0, 0, 0, 0]);
/** How long the peer may read the reason before the connection is closed. */
const LINGER_MS = 1000;

/** Closes a plaintext HTTP/2 connection with a GOAWAY frame that gives the reason; gRPC clients show it. */
export function refusePlaintext(socket: Socket, reason: string): void {
  const text = Buffer.from(reason);
  const header = Buffer.alloc(17);
  header.writeUIntBE(8 + text.length, 0, 3);
  header[3] = GOAWAY;
  header.writeUInt32BE(INADEQUATE_SECURITY, 13);
  socket.setTimeout(LINGER_MS, () => socket.destroy());
  // With unread bytes, the system resets the connection before the peer reads the reason.
  socket.resume();
  socket.end(Buffer.concat([EMPTY_SETTINGS, header, text]));
}
