import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Attack } from '../attack.js';
import { attackTime } from '../attack-time.js';

const READERS = 100;

/** Scrapers that read next to nothing: they hold connections, and a rendering of each second. */
export const attack: Attack = {
  title: `${READERS} readers of /metrics that stop reading`,
  async run({ host, ports }, scale, signal) {
    const until = attackTime(signal, this.durationMs);
    const sockets: Socket[] = [];
    let closed = 0;
    while (!until.aborted) {
      for (let count = 0; count < (READERS * scale) / 10; count++) {
        const socket = connect({ port: ports.monitoring, host, localAddress: `127.0.2.${1 + (sockets.length % 6)}` });
        socket.on('error', () => undefined).on('close', () => closed++);
        socket.write('GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n');
        socket.pause();
        sockets.push(socket);
      }
      await delay(1000, undefined, { signal: until }).catch(() => undefined);
    }
    for (const socket of sockets) socket.destroy();
    return `${sockets.length} readers, ${closed} of them closed by the server meanwhile`;
  },
};
