import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { framed, question } from '../../../dns/dns-rig.js';
import type { Attack } from '../attack.js';
import { HUGE_NAME, prepareDnsUpstream } from '../dns-upstream.js';

const CONNECTIONS = 100;
const QUERIES = 500;
const BATCH = 50;

/** Clients that never read, each of a few addresses. A closed connection is opened again. */
export const attack: Attack = {
  title: `${CONNECTIONS} DNS connections that ask for 60 KiB ${QUERIES} times each and do not read`,
  prepare: prepareDnsUpstream,
  async run({ host, ports }, scale, signal) {
    const queries = Buffer.concat(
      Array.from({ length: QUERIES }, (_, id) => framed(question(HUGE_NAME, 'TXT', { id }))),
    );
    const sockets = new Set<Socket>();
    let closed = 0;
    let isOver = false;
    const open = (index: number): void => {
      if (isOver) return;
      const socket = connect({ host, port: ports.dns, localAddress: `127.0.9.${1 + (index % 8)}` });
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        if (!isOver) closed++;
        setTimeout(open, 50, index);
      });
      socket.pause();
      socket.write(queries);
    };
    for (let index = 0; index < CONNECTIONS * scale && !signal.aborted; index++) {
      open(index);
      if (index % BATCH === 0) await delay(5);
    }
    await delay(this.durationMs ?? 10_000, undefined, { signal }).catch(() => undefined);
    isOver = true;
    for (const socket of sockets) socket.destroy();
    return `${CONNECTIONS * scale} connections, ${closed} closed by the server`;
  },
};
