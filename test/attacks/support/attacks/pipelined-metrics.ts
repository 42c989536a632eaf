import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Attack } from '../attack.js';

const CONNECTIONS = 10;
const REQUESTS = 300;
const REQUEST = 'GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n';

/** Requests that are sent in one packet, before any is answered (HTTP/1.1 pipelining). */
export const attack: Attack = {
  title: `${REQUESTS} GETs of /metrics in one packet, from ${CONNECTIONS} connections`,
  async run({ host, ports }, scale, signal) {
    let received = 0;
    let closed = 0;
    const sockets = Array.from({ length: CONNECTIONS }, () => {
      const socket = connect(ports.monitoring, host);
      socket.on('error', () => undefined);
      socket.on('close', () => closed++);
      socket.on('data', (chunk) => {
        received += chunk.length;
      });
      socket.write(REQUEST.repeat(REQUESTS * scale));
      return socket;
    });
    await delay(this.durationMs ?? 10_000, undefined, { signal }).catch(() => undefined);
    for (const socket of sockets) socket.destroy();
    return `${CONNECTIONS} connections with ${REQUESTS * scale} requests each: ${received} bytes received, ${closed} closed`;
  },
};
