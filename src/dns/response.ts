import { type Answer, encode } from 'dns-packet';
import { HEADER_BYTES, PLAIN_UDP_BYTES, type Query, Rcode, type RcodeNumber } from './query.js';

export type { Answer };

/** Bytes of a UDP response that pass all usual networks unfragmented (DNS flag day 2020). */
export const UDP_BYTES = 1232;
/** The bytes of a record without its name and data. */
const MIN_RECORD_BYTES = 10;
/** A length of 16 bits precedes a message on TCP. */
const TCP_BYTES = 65_535;

const RESPONSE = 0x80_00;
const AUTHORITATIVE = 0x04_00;
const TRUNCATED = 0x02_00;
const RECURSION_DESIRED = 0x01_00;
const RECURSION_AVAILABLE = 0x00_80;
const RCODE_BITS = 4;
const RCODE_MASK = 0x0f;
const OPT_BYTES = 11;
const OPT_TYPE = 41;

export type Transport = 'udp' | 'tcp' | 'tls';

/** An answer that this server makes itself. */
export interface OwnAnswer {
  readonly rcode: RcodeNumber;
  readonly authoritative: boolean;
  readonly answers: readonly Answer[];
  readonly authorities: readonly Answer[];
  readonly additionals: readonly Answer[];
}

/** An answer without records. */
export function emptyAnswer(rcode: RcodeNumber): OwnAnswer {
  return { rcode, authoritative: false, answers: [], authorities: [], additionals: [] };
}

/** The largest response that a client takes. Over UDP at most 1232 bytes, so that no response is fragmented. */
export function maxBytesOf(query: Query, transport: Transport): number {
  if (transport !== 'udp') return TCP_BYTES;
  return query.edns === undefined ? PLAIN_UDP_BYTES : Math.min(query.edns.udpBytes, UDP_BYTES);
}

/** Encodes an answer. One that is too large for UDP is truncated; over TCP, records that do not fit are left out. */
export function encodeAnswer(query: Query, answer: OwnAnswer, transport: Transport): Buffer {
  const limit = maxBytesOf(query, transport);
  const opt = query.edns === undefined ? 0 : OPT_BYTES;
  const head = HEADER_BYTES + query.question.length;
  let { answers, additionals } = answer;
  if (transport === 'udp' && answers.length * MIN_RECORD_BYTES > limit) return truncatedAnswer(query);
  for (;;) {
    const records = encodeRecords(answers, answer.authorities, additionals);
    if (head + records.length + opt <= limit) {
      const counts = [answers.length, answer.authorities.length, additionals.length] as const;
      return Buffer.concat([headerOf(query, answer, counts), query.question, records, optOf(query, answer.rcode)]);
    }
    if (additionals.length > 0) additionals = [];
    else if (transport === 'udp') return truncatedAnswer(query);
    else answers = answers.slice(0, answers.length >> 1);
  }
}

/** Tells a UDP client to ask again over TCP. */
export function truncatedAnswer(query: Query): Buffer {
  const header = headerOf(query, emptyAnswer(Rcode.noError), [0, 0, 0], TRUNCATED);
  return Buffer.concat([header, query.question, optOf(query, Rcode.noError)]);
}

/** Answers a message that is no readable query with its id and a code. */
export function refusal(message: Buffer, rcode: RcodeNumber): Buffer {
  const bytes = Buffer.alloc(rcode > RCODE_MASK ? HEADER_BYTES + OPT_BYTES : HEADER_BYTES);
  message.copy(bytes, 0, 0, 2);
  const kept = message.readUInt16BE(2) & (0x78_00 | RECURSION_DESIRED);
  bytes.writeUInt16BE(RESPONSE | kept | (rcode & RCODE_MASK), 2);
  if (rcode > RCODE_MASK) {
    bytes.writeUInt16BE(1, 10);
    writeOpt(bytes, HEADER_BYTES, rcode, false);
  }
  return bytes;
}

function headerOf(
  query: Query,
  { rcode, authoritative }: OwnAnswer,
  [answers, authorities, additionals]: readonly [number, number, number],
  flags = 0,
): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt16BE(query.id, 0);
  const desired = query.wantsRecursion ? RECURSION_DESIRED : 0;
  const own = RESPONSE | RECURSION_AVAILABLE | desired | (authoritative ? AUTHORITATIVE : 0) | flags;
  header.writeUInt16BE(own | (rcode & RCODE_MASK), 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(answers, 6);
  header.writeUInt16BE(authorities, 8);
  header.writeUInt16BE(additionals + (query.edns === undefined ? 0 : 1), 10);
  return header;
}

function encodeRecords(
  answers: readonly Answer[],
  authorities: readonly Answer[],
  additionals: readonly Answer[],
): Buffer {
  const lists = { answers: [...answers], authorities: [...authorities], additionals: [...additionals] };
  return encode(lists).subarray(HEADER_BYTES);
}

function optOf(query: Query, rcode: RcodeNumber): Buffer {
  if (query.edns === undefined) return Buffer.alloc(0);
  const bytes = Buffer.alloc(OPT_BYTES);
  writeOpt(bytes, 0, rcode, query.edns.dnssecOk);
  return bytes;
}

/** An OPT record without options: root name, type, size of UDP messages, upper bits of the code, version, flags. */
function writeOpt(bytes: Buffer, offset: number, rcode: RcodeNumber, dnssecOk: boolean): void {
  bytes.writeUInt16BE(OPT_TYPE, offset + 1);
  bytes.writeUInt16BE(UDP_BYTES, offset + 3);
  bytes.writeUInt8(rcode >> RCODE_BITS, offset + 5);
  bytes.writeUInt16BE(dnssecOk ? 0x80_00 : 0, offset + 7);
}
