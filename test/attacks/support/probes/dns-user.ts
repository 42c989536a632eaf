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
  let giveUp: (() => void) | undefined;
  return {
    name: `DNS over ${transport.toUpperCase()}`,
    timeoutMs: TIMEOUT_MS,
    act: async () => {
      id = (id + 1) & 0xff_ff;
      // Of the question before, where it was not answered in time.
      giveUp?.();
      const asked = ask(host, ports.dns, question(service, 'A', { id }));
      giveUp = asked.giveUp;
      const answer = await asked.answer;
      if (answer.id !== id || (answer.answers ?? []).length === 0)
        throw new Error(`no address: ${JSON.stringify(answer)}`);
    },
    close: () => giveUp?.(),
  };
}

type Question = ReturnType<typeof question>;

interface Asked {
  readonly answer: Promise<DecodedPacket>;
  /** Closes the socket, if it is still open. */
  giveUp(): void;
}

function askOverUdp(host: string, port: number, packet: Question): Asked {
  const socket = createSocket('udp4');
  let isOpen = true;
  const giveUp = (): void => {
    if (isOpen) socket.close();
    isOpen = false;
  };
  const answer = new Promise<DecodedPacket>((resolve, reject) => {
    socket.once('error', reject);
    socket.once('message', (bytes) => {
      giveUp();
      resolve(decode(bytes));
    });
    socket.bind(0, '127.0.0.9', () => socket.send(encode(packet), port, host));
  });
  return { answer, giveUp };
}

function askOverTcp(host: string, port: number, packet: Question): Asked {
  const socket = connect({ host, port, localAddress: '127.0.0.10' });
  const answer = new Promise<DecodedPacket>((resolve, reject) => {
    let received = Buffer.alloc(0);
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('the connection was closed without an answer')));
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      if (received.length < LENGTH_BYTES || received.length < LENGTH_BYTES + received.readUInt16BE(0)) return;
      resolve(decode(received.subarray(LENGTH_BYTES)));
      socket.destroy();
    });
    socket.write(framed(packet));
  });
  return { answer, giveUp: () => socket.destroy() };
}
