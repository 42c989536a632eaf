import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Attack } from '../attack.js';

const CONNECTIONS = 1500;
const BATCH = 100;

/** TCP connections that say nothing, or one byte a second, to the listeners with TLS and without. */
export const attack: Attack = {
  title: `${CONNECTIONS} half-open connections to the plaintext and the secured listener each, from many addresses`,
  async run({ host, ports }, scale, signal) {
    const sockets: Socket[] = [];
    let closed = 0;
    for (let count = 0; count < CONNECTIONS * scale && !signal.aborted; count++) {
      for (const port of [ports.grpc, ports.secureGrpc]) {
        const socket = connect({ host, port, localAddress: `127.0.1.${1 + (count % 4)}` });
        socket.on('error', () => undefined);
        socket.on('close', () => closed++);
        sockets.push(socket);
      }
      if (count % BATCH === 0) await delay(5);
    }
    const drip = setInterval(() => {
      for (let index = 0; index < sockets.length; index += 10) sockets[index]?.write(Buffer.from([0x50]));
    }, 1000);
    await delay(this.durationMs ?? 10_000, undefined, { signal }).catch(() => undefined);
    clearInterval(drip);
    for (const socket of sockets) socket.destroy();
    return `${sockets.length} connections, ${closed} closed by the server`;
  },
};
