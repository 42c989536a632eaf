import { createSocket } from 'node:dgram';
import type { DnsRecords } from './calls.js';

const TYPE_A = 1;
const RESPONSE_CODE_NAME_ERROR = 3;

interface Question {
  readonly name: string;
  readonly type: number;
  /** Offset behind the question in the packet. */
  readonly end: number;
}

function parseQuestion(packet: Buffer): Question {
  const labels: string[] = [];
  let offset = 12;
  for (let length = packet.readUInt8(offset); length > 0; length = packet.readUInt8(offset)) {
    labels.push(packet.toString('latin1', offset + 1, offset + 1 + length));
    offset += length + 1;
  }
  return { name: labels.join('.').toLowerCase(), type: packet.readUInt16BE(offset + 1), end: offset + 5 };
}

function buildAnswer(packet: Buffer, records: DnsRecords['records']): Buffer {
  const { name, type, end } = parseQuestion(packet);
  const known = records[name];
  const addresses = type === TYPE_A ? (known ?? []) : [];
  const head = Buffer.from(packet.subarray(0, end));
  head.writeUInt16BE(0x8580 | (known === undefined ? RESPONSE_CODE_NAME_ERROR : 0), 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(addresses.length, 6);
  head.writeUInt32BE(0, 8);
  const answers = addresses.map((address) => {
    // Name as a pointer to the question, type A, class IN, one second to live, four bytes of address.
    const answer = Buffer.from([0xc0, 12, 0, TYPE_A, 0, 1, 0, 0, 0, 1, 0, 4, 0, 0, 0, 0]);
    address.split('.').forEach((part, index) => {
      answer.writeUInt8(Number(part), 12 + index);
    });
    return answer;
  });
  return Buffer.concat([head, ...answers]);
}

export interface DnsServer {
  /** Answers with these from now on. */
  replaceRecords(records: DnsRecords['records']): void;
}

/** A DNS server for A records on UDP port 53: authoritative for what it was given, name error for the rest. */
export function serveDns({ address, records }: DnsRecords): Promise<DnsServer> {
  let current = records;
  const socket = createSocket('udp4');
  socket.on('message', (packet, peer) => {
    try {
      socket.send(buildAnswer(packet, current), peer.port, peer.address);
    } catch {
      // A packet that is not a question gets no answer, as from any DNS server.
    }
  });
  return new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.bind(53, address, () => {
      socket.off('error', reject);
      resolve({
        replaceRecords: (next) => {
          current = next;
        },
      });
    });
  });
}
