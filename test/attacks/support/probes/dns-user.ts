import { createSocket } from 'node:dgram';
import { connect } from 'node:net';
import { type DecodedPacket, decode, encode } from 'dns-packet';
import { framed, question } from '../../../dns/dns-rig.js';
import type { AttackTarget } from '../attack.js';
import type { ProbeUser } from '../probe.js';

/** Resolvers ask again after this time, and users notice it. */
const TIMEOUT_MS = 2_000;
const LENGTH_BYTES = 2;

/** A stub resolver that asks once for the address of a service, from a new port each time. */
export function createDnsUser({ host, ports }: AttackTarget, transport: 'udp' | 'tcp', service: string): ProbeUser {
  const ask = transport === 'udp' ? askOverUdp : askOverTcp;
  let id = 0;
  return {
    name: `DNS over ${transport.toUpperCase()}`,
    act: async () => {
      id = (id + 1) & 0xff_ff;
      const answer = await ask(host, ports.dns, question(service, 'A', { id }));
      if (answer.id !== id || (answer.answers ?? []).length === 0)
        throw new Error(`no address: ${JSON.stringify(answer)}`);
    },
    close: () => undefined,
  };
}

type Question = ReturnType<typeof question>;

function askOverUdp(host: string, port: number, packet: Question): Promise<DecodedPacket> {
  return new Promise((resolve, reject) => {
    const socket = createSocket('udp4');
    const end = setTimeout(() => {
      socket.close();
      reject(new Error(`no answer within ${TIMEOUT_MS} ms`));
    }, TIMEOUT_MS);
    socket.once('error', reject);
    socket.once('message', (bytes) => {
      clearTimeout(end);
      socket.close();
      resolve(decode(bytes));
    });
    socket.bind(0, '127.0.0.9', () => socket.send(encode(packet), port, host));
  });
}

function askOverTcp(host: string, port: number, packet: Question): Promise<DecodedPacket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, localAddress: '127.0.0.10', timeout: TIMEOUT_MS });
    let received = Buffer.alloc(0);
    socket.once('error', reject);
    socket.once('timeout', () => socket.destroy(new Error(`no answer within ${TIMEOUT_MS} ms`)));
    socket.once('close', () => reject(new Error('the connection was closed without an answer')));
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      if (received.length < LENGTH_BYTES || received.length < LENGTH_BYTES + received.readUInt16BE(0)) return;
      resolve(decode(received.subarray(LENGTH_BYTES)));
      socket.destroy();
    });
    socket.write(framed(packet));
  });
}
