import { createSocket } from 'node:dgram';
import { createServer, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { type DecodedPacket, decode, encode, type Packet } from 'dns-packet';
import type { Teardown } from '../bootstrap/support/cleanup.js';
import type { Certificate } from '../support/self-signed-certificate.js';
import { framed, LOOPBACK } from './dns-rig.js';

/** A query that a faulty server got. */
export interface FaultQuery {
  readonly packet: DecodedPacket;
  readonly name: string;
  readonly transport: 'udp' | 'tcp';
  readonly port: number;
}

/** What it answers: packets in order, bytes as they are, or nothing. */
export type FaultAnswer = readonly (Packet | Buffer)[];

export interface FaultUpstream {
  readonly port: number;
  readonly queries: readonly FaultQuery[];
}

/** An upstream server for faults that real servers do not have on demand: wrong ids, silence, truncation. */
export async function startFaultUpstream(
  t: Teardown,
  answer: (query: FaultQuery) => FaultAnswer | Promise<FaultAnswer>,
  certificate?: Certificate,
): Promise<FaultUpstream> {
  const queries: FaultQuery[] = [];
  const serve = (socket: Socket): void => {
    socket.on('error', () => undefined);
    let bytes = Buffer.alloc(0);
    socket.on('data', (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk]);
      while (bytes.length >= 2 && bytes.length >= 2 + bytes.readUInt16BE(0)) {
        const end = 2 + bytes.readUInt16BE(0);
        const query = queryOf(bytes.subarray(2, end), 'tcp', socket.remotePort ?? 0);
        bytes = bytes.subarray(end);
        queries.push(query);
        void Promise.resolve(answer(query)).then((packets) => {
          for (const each of packets) socket.write(Buffer.isBuffer(each) ? each : framed(each));
        });
      }
    });
  };
  const sockets = new Set<Socket>();
  const tcp =
    certificate === undefined
      ? createServer(serve)
      : createTlsServer({ cert: certificate.certificate, key: certificate.key }, serve);
  tcp.on('connection', (socket: Socket) => sockets.add(socket));
  await new Promise<void>((resolve) => tcp.listen(0, LOOPBACK, resolve));
  const address = tcp.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  let isClosed = false;
  const udp = createSocket('udp4');
  udp.on('message', (bytes, from) => {
    const query = queryOf(bytes, 'udp', from.port);
    queries.push(query);
    void Promise.resolve(answer(query)).then((packets) => {
      if (isClosed) return;
      for (const each of packets) udp.send(Buffer.isBuffer(each) ? each : encode(each), from.port, from.address);
    });
  });
  await new Promise<void>((resolve) => udp.bind(port, LOOPBACK, resolve));
  t.teardown(() => {
    isClosed = true;
    udp.close();
    for (const socket of sockets) socket.destroy();
    tcp.close();
  });
  return { port, queries };
}

function queryOf(bytes: Buffer, transport: 'udp' | 'tcp', port: number): FaultQuery {
  const packet = decode(bytes);
  return { packet, name: packet.questions?.[0]?.name ?? '', transport, port };
}

/** A usual response to a query. */
export function reply({ packet }: FaultQuery, fields: Packet = {}): Packet {
  return { type: 'response', id: packet.id ?? 0, flags: 0x180, questions: packet.questions ?? [], ...fields };
}

/** A response with one address. */
export function replyWith(query: FaultQuery, data: string, ttl = 60): Packet {
  return reply(query, { answers: [{ type: 'A', name: query.name, ttl, data }] });
}
