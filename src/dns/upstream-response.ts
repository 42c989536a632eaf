import { HEADER_BYTES, type Query } from './query.js';
import { maxBytesOf, type Transport, truncatedAnswer, UDP_BYTES } from './response.js';
import { skipName } from './wire-name.js';

/** A response of an upstream server, as it came, with the places that change when it is passed on. */
export interface UpstreamResponse {
  readonly bytes: Buffer;
  readonly rcode: number;
  readonly isTruncated: boolean;
  readonly answers: number;
  /** Offsets of the TTLs of all records but OPT. */
  readonly ttlOffsets: readonly number[];
  /** Least TTL of the answers, in seconds; undefined without any. */
  readonly ttlSeconds: number | undefined;
  /** How long the absence of an answer counts (RFC 2308); undefined without a SOA record. */
  readonly negativeTtlSeconds: number | undefined;
  /** Offset of the UDP size in the OPT record. */
  readonly udpBytesOffset: number | undefined;
}

const RESPONSE = 0x80_00;
const OPCODE = 0x78_00;
const TRUNCATED = 0x02_00;
const RECURSION_DESIRED = 0x01_00;
const RECURSION_AVAILABLE = 0x00_80;
const CHECKING_DISABLED = 0x00_10;
const RCODE_MASK = 0x0f;
const TYPE_SOA = 6;
const TYPE_OPT = 41;
/** Type, class, TTL and length of a record. */
const RECORD_FIXED = 10;
/** A TTL with the highest bit set counts as 0 (RFC 2181). */
const MAX_TTL = 0x7f_ff_ff_ff;

/**
 * Reads a response to a query. Its question must be the question of the query in the same spelling, apart from case.
 *
 * @returns undefined if it answers another query or is malformed
 */
export function readUpstreamResponse(bytes: Buffer, id: number, question: Buffer): UpstreamResponse | undefined {
  if (bytes.length < HEADER_BYTES + question.length || bytes.readUInt16BE(0) !== id) return undefined;
  const flags = bytes.readUInt16BE(2);
  if ((flags & RESPONSE) === 0 || (flags & OPCODE) !== 0 || bytes.readUInt16BE(4) !== 1) return undefined;
  if (!isSameQuestion(bytes.subarray(HEADER_BYTES, HEADER_BYTES + question.length), question)) return undefined;
  const isTruncated = (flags & TRUNCATED) !== 0;
  const rcode = flags & RCODE_MASK;
  const records = readRecords(bytes, HEADER_BYTES + question.length);
  // A server may cut a truncated response anywhere; its records are not used.
  if (records === undefined && !isTruncated) return undefined;
  return { ...(records ?? NO_RECORDS), bytes, rcode, isTruncated, answers: bytes.readUInt16BE(6) };
}

type Records = Pick<UpstreamResponse, 'ttlOffsets' | 'ttlSeconds' | 'negativeTtlSeconds' | 'udpBytesOffset'>;

const NO_RECORDS: Records = {
  ttlOffsets: [],
  ttlSeconds: undefined,
  negativeTtlSeconds: undefined,
  udpBytesOffset: undefined,
};

function readRecords(bytes: Buffer, start: number): Records | undefined {
  const [answers, authorities, additionals] = [6, 8, 10].map((offset) => bytes.readUInt16BE(offset));
  const inAnswers = answers ?? 0;
  const inAuthorities = inAnswers + (authorities ?? 0);
  const ttlOffsets: number[] = [];
  let ttlSeconds: number | undefined;
  let negativeTtlSeconds: number | undefined;
  let udpBytesOffset: number | undefined;
  let offset = start;
  for (let index = 0; index < inAuthorities + (additionals ?? 0); index++) {
    const fixed = skipName(bytes, offset);
    if (fixed === undefined || fixed + RECORD_FIXED > bytes.length) return undefined;
    const type = bytes.readUInt16BE(fixed);
    const end = fixed + RECORD_FIXED + bytes.readUInt16BE(fixed + 8);
    if (end > bytes.length) return undefined;
    if (type === TYPE_OPT) {
      udpBytesOffset = fixed + 2;
    } else {
      ttlOffsets.push(fixed + 4);
      const ttl = ttlAt(bytes, fixed + 4);
      if (index < inAnswers) ttlSeconds = Math.min(ttlSeconds ?? ttl, ttl);
      else if (index < inAuthorities && type === TYPE_SOA && end - fixed - RECORD_FIXED >= 20) {
        negativeTtlSeconds = Math.min(ttl, ttlAt(bytes, end - 4));
      }
    }
    offset = end;
  }
  return { ttlOffsets, ttlSeconds, negativeTtlSeconds, udpBytesOffset };
}

function ttlAt(bytes: Buffer, offset: number): number {
  const ttl = bytes.readUInt32BE(offset);
  return ttl > MAX_TTL ? 0 : ttl;
}

function isSameQuestion(one: Buffer, other: Buffer): boolean {
  return one.equals(other) || one.toString('latin1').toLowerCase() === other.toString('latin1').toLowerCase();
}

/**
 * The response for a client: with the id and spelling of its query, and TTLs reduced by the age of the response.
 *
 * @param ageSeconds time in the cache
 */
export function passOn(response: UpstreamResponse, query: Query, ageSeconds: number, transport: Transport): Buffer {
  if (response.bytes.length > maxBytesOf(query, transport)) return truncatedAnswer(query);
  const bytes = Buffer.from(response.bytes);
  bytes.writeUInt16BE(query.id, 0);
  const own = RECURSION_DESIRED | CHECKING_DISABLED;
  const asked = (query.wantsRecursion ? RECURSION_DESIRED : 0) | (query.checkingDisabled ? CHECKING_DISABLED : 0);
  bytes.writeUInt16BE((bytes.readUInt16BE(2) & ~own) | asked | RECURSION_AVAILABLE, 2);
  query.question.copy(bytes, HEADER_BYTES);
  for (const offset of response.ttlOffsets) {
    bytes.writeUInt32BE(Math.max(0, ttlAt(bytes, offset) - ageSeconds), offset);
  }
  if (response.udpBytesOffset !== undefined) bytes.writeUInt16BE(UDP_BYTES, response.udpBytesOffset);
  return bytes;
}
