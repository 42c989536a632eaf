import type { Socket } from 'node:net';

const GOAWAY = 0x7;
/** RFC 9113 section 7: the connection does not meet the server's requirements of security. */
const INADEQUATE_SECURITY = 0xc;
const EMPTY_SETTINGS = Buffer.from([0, 0, 0, 0x4, 0, 0, 0, 0, 0]);
/** The peer may read the reason for this long; then the connection is closed whatever it does. */
const LINGER_MS = 1000;

/** Ends a plaintext HTTP/2 connection with a GOAWAY that says why, which gRPC clients show. */
export function refusePlaintext(socket: Socket, reason: string): void {
  const text = Buffer.from(reason);
  const header = Buffer.alloc(17);
  header.writeUIntBE(8 + text.length, 0, 3);
  header[3] = GOAWAY;
  header.writeUInt32BE(INADEQUATE_SECURITY, 13);
  socket.setTimeout(LINGER_MS, () => socket.destroy());
  // Bytes that were not read would make the system reset the connection before the peer reads the reason.
  socket.resume();
  socket.end(Buffer.concat([EMPTY_SETTINGS, header, text]));
}
