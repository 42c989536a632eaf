import { connect, type Socket } from 'node:net';

/** The connection preface of HTTP/2, and an empty SETTINGS frame. */
const GREETING = Buffer.concat([
  Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]),
]);

/** A peer that opens an HTTP/2 connection and answers nothing from then on, as one does whose machine is gone. */
export async function openSilentPeer(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  await new Promise((resolve) => socket.once('connect', resolve));
  socket.write(GREETING);
  socket.resume();
  return socket;
}
