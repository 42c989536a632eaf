import { decode } from 'dns-packet';
import { type DnsName, readName } from './wire-name.js';

/** A question of a client that can be answered. */
export interface Query {
  readonly id: number;
  readonly name: DnsName;
  /** Name of the type, such as `A`; `UNKNOWN_<number>` if dns-packet has none. */
  readonly type: string;
  /** The question as bytes: name, type and class. */
  readonly question: Buffer;
  readonly wantsRecursion: boolean;
  readonly checkingDisabled: boolean;
  /** Present if the client sent an OPT record (EDNS). */
  readonly edns: { readonly udpBytes: number; readonly dnssecOk: boolean } | undefined;
}

/** Response codes (RFC 1035, RFC 6891). */
export const Rcode = {
  noError: 0,
  formatError: 1,
  serverFailure: 2,
  nameError: 3,
  notImplemented: 4,
  refused: 5,
  badVersion: 16,
} as const;
export type RcodeNumber = (typeof Rcode)[keyof typeof Rcode];

/** A datagram or message of a client: a query, one to refuse with a code, or one that gets no answer. */
export type ReadQuery =
  | { readonly type: 'query'; readonly query: Query }
  | { readonly type: 'refused'; readonly rcode: RcodeNumber }
  | { readonly type: 'ignored' };

export const HEADER_BYTES = 12;
/** A query has a name of 255 bytes and some options. */
export const MAX_QUERY_BYTES = 4_096;
const RESPONSE = 0x80_00;
const OPCODE = 0x78_00;
const RECURSION_DESIRED = 0x01_00;
const CHECKING_DISABLED = 0x00_10;
const CLASS_IN = 1;
/** OPT and, of signed queries, TSIG. */
const MAX_ADDITIONALS = 2;
/** Smallest size of a UDP response that each client accepts (RFC 1035). */
export const PLAIN_UDP_BYTES = 512;
/** Transfers of zones, and types that are no questions. */
const REFUSED_TYPES: ReadonlySet<string> = new Set([
  'AXFR',
  'IXFR',
  'OPT',
  'TSIG',
  'TKEY',
  'UNKNOWN_253',
  'UNKNOWN_254',
]);

const refused = (rcode: RcodeNumber): ReadQuery => ({ type: 'refused', rcode });

/** Whether a datagram can be a query, from a look at its header. */
export function mayBeQuery(bytes: Buffer): boolean {
  if (bytes.length < HEADER_BYTES || bytes.length > MAX_QUERY_BYTES) return false;
  return (bytes.readUInt16BE(2) & RESPONSE) === 0;
}

/** Reads what a client sent. A response is ignored: an answer to it could start an endless exchange of two servers. */
export function readQuery(bytes: Buffer): ReadQuery {
  if (bytes.length < HEADER_BYTES) return { type: 'ignored' };
  const flags = bytes.readUInt16BE(2);
  if ((flags & RESPONSE) !== 0) return { type: 'ignored' };
  if ((flags & OPCODE) !== 0) return refused(Rcode.notImplemented);
  // dns-packet allocates arrays of the stated lengths.
  const [questions, answers, authorities, additionals] = [4, 6, 8, 10].map((offset) => bytes.readUInt16BE(offset));
  const isUsual = questions === 1 && answers === 0 && authorities === 0 && (additionals ?? 0) <= MAX_ADDITIONALS;
  if (!isUsual) return refused(Rcode.formatError);
  const name = readName(bytes, HEADER_BYTES);
  const end = name === undefined ? 0 : HEADER_BYTES + name.bytes + 4;
  if (name === undefined || bytes.length < end) return refused(Rcode.formatError);
  const packet = decodeOrUndefined(bytes);
  const type = packet?.questions?.[0]?.type;
  if (packet === undefined || type === undefined) return refused(Rcode.formatError);
  if (bytes.readUInt16BE(end - 2) !== CLASS_IN) return refused(Rcode.notImplemented);
  if (REFUSED_TYPES.has(type)) return refused(Rcode.refused);
  const options = (packet.additionals ?? []).filter((record) => record.type === 'OPT');
  const [opt] = options;
  if (options.length > 1) return refused(Rcode.formatError);
  if (opt !== undefined && opt.ednsVersion > 0) return refused(Rcode.badVersion);
  return {
    type: 'query',
    query: {
      id: bytes.readUInt16BE(0),
      name,
      type,
      question: bytes.subarray(HEADER_BYTES, end),
      wantsRecursion: (flags & RECURSION_DESIRED) !== 0,
      checkingDisabled: (flags & CHECKING_DISABLED) !== 0,
      edns: opt && { udpBytes: Math.max(opt.udpPayloadSize, PLAIN_UDP_BYTES), dnssecOk: opt.flag_do },
    },
  };
}

function decodeOrUndefined(bytes: Buffer) {
  try {
    return decode(bytes);
  } catch {
    return undefined;
  }
}
