import { connect } from 'node:net';
import type { Attack } from '../attack.js';
import { attackTime } from '../attack-time.js';

const CONNECTIONS = 10;
const REQUESTS = 300;
const PATHS = [
  '/debug/syncz',
  '/debug/registryz',
  '/debug/configz',
  '/debug/endpointz',
  '/debug',
  '/ready',
  '/no-such-page',
];

/** Requests of expensive pages in one packet each, and again as soon as a connection is closed. */
export const attack: Attack = {
  title: `${REQUESTS} pipelined GETs of debug pages, from ${CONNECTIONS} connections that are reopened`,
  async run({ host, ports }, scale, signal) {
    const until = attackTime(signal, this.durationMs);
    const packet = Array.from({ length: REQUESTS }, (_, index) => request(PATHS[index % PATHS.length] ?? '/')).join('');
    let opened = 0;
    let received = 0;
    const attackOnce = (): Promise<void> =>
      new Promise((resolve) => {
        opened++;
        const socket = connect(ports.http, host).on('error', () => undefined);
        socket
          .on('close', () => resolve())
          .on('data', (chunk) => {
            received += chunk.length;
          });
        until.addEventListener('abort', () => socket.destroy(), { once: true });
        socket.write(packet);
      });
    const attackers = Array.from({ length: CONNECTIONS * scale }, async () => {
      while (!until.aborted) await attackOnce();
    });
    await Promise.all(attackers);
    return `${opened} connections with ${REQUESTS} requests each: ${received} bytes received`;
  },
};

function request(path: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
}
