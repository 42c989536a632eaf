import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { encode } from 'dns-packet';
import { question } from '../../../dns/dns-rig.js';
import type { Attack } from '../attack.js';
import { HUGE_NAME, prepareDnsUpstream } from '../dns-upstream.js';
import { BOOKS } from '../tenants.js';

const PER_SECOND = 10_000;
const ADDRESSES = 200;
const BATCH_MS = 5;

/** Queries of every kind: an answer, no such name, an upstream server that is silent, a large answer, no query. */
function datagrams(): readonly Buffer[] {
  const queries = Array.from({ length: 500 }, (_, id) => [
    question(BOOKS, 'A', { id }),
    question(`r${id}.shop.svc.cluster.local`, 'A', { id }),
    question(`r${id}.example.org`, 'A', { id }),
    question(HUGE_NAME, 'TXT', { id }),
  ]);
  return [...queries.flat().map((query) => encode(query)), Buffer.alloc(12, 0xff), Buffer.alloc(60_000, 1)];
}

/** Half of the queries come from one address, the others from many. */
export const attack: Attack = {
  title: `${PER_SECOND} DNS queries a second over UDP, half of them from one address and half from ${ADDRESSES}, with a silent upstream server`,
  prepare: prepareDnsUpstream,
  async run({ host, ports }, scale, signal) {
    const open = async (address: string): Promise<Socket> => {
      const socket = createSocket('udp4');
      socket.on('error', () => undefined);
      socket.bind(0, address);
      await once(socket, 'listening');
      socket.connect(ports.dns, host);
      await once(socket, 'connect');
      return socket;
    };
    const one = await open('127.0.6.1');
    const many = await Promise.all(Array.from({ length: ADDRESSES }, (_, index) => open(`127.0.7.${1 + index}`)));
    const contents = datagrams();
    const startMs = performance.now();
    const endMs = startMs + (this.durationMs ?? 10_000);
    let sent = 0;
    while (performance.now() < endMs && !signal.aborted) {
      const due = ((performance.now() - startMs) / 1000) * PER_SECOND * scale;
      for (; sent < due; sent++) {
        const socket = sent % 2 === 0 ? one : many[(sent >> 1) % ADDRESSES];
        socket?.send(contents[sent % contents.length] ?? Buffer.alloc(0), () => undefined);
      }
      await delay(BATCH_MS);
    }
    for (const socket of [one, ...many]) socket.close();
    return `${sent} datagrams from ${1 + ADDRESSES} addresses`;
  },
};
