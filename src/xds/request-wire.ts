import protobuf from 'protobufjs';
import type { Work } from '../push/work.js';

/**
 * The fields of a DiscoveryRequest that every request needs, read from its bytes. Names and node stay encoded: a
 * sidecar repeats thousands of names in every acknowledgement, and decoding them costs more than answering
 * (docs/architecture.md#rules-that-keep-it-fast).
 */
export interface RawDiscoveryRequest {
  readonly versionInfo: string;
  readonly typeUrl: string;
  readonly responseNonce: string;
  /** Encoded envoy.config.core.v3.Node; absent in all but the first request. */
  readonly node: Uint8Array | undefined;
  readonly errorDetail: { readonly code: number; readonly message: string } | undefined;
  /** Every resource_names field as encoded, in the order received. Empty when there is none. */
  readonly encodedNames: Uint8Array;
  /** How many names there are, repetitions included. */
  readonly names: number;
  /** Names that are not in a known list. */
  readonly newNames: number;
}

/** Names that a stream has sent before. */
export interface KnownNames {
  /** As encoded. */
  readonly bytes: Buffer;
  /** Number of names. */
  readonly count: number;
}

export interface ReadRequestOptions {
  /** A request that begins with one of these lists is not read name by name. */
  readonly knownNames?: readonly KnownNames[];
  /** Unlimited by default. */
  readonly maxNames?: number;
}

/** A request with more names than `maxNames`; it is not read to its end. */
export class TooManyNamesError extends Error {}

/** The fields of a request beside its names. A request has at most seven; a message of megabytes can have millions. */
const MAX_OTHER_FIELDS = 1_000;

/** Counts the fields of a request beside its names: they are read without a pause. */
export function createFieldCount(): () => void {
  let fields = 0;
  return () => {
    fields++;
    if (fields > MAX_OTHER_FIELDS)
      throw new RangeError(`the request has more than ${MAX_OTHER_FIELDS} fields beside its names`);
  };
}

/** Names that are decoded before the work pauses. */
const DECODED_AT_ONCE = 2_048;

/** Field numbers of DiscoveryRequest. */
const VERSION_INFO = 1;
const NODE = 2;
const RESOURCE_NAMES = 3;
const TYPE_URL = 4;
const RESPONSE_NONCE = 5;
const ERROR_DETAIL = 6;

/** Field number and type of a name. */
const NAME_TAG = (RESOURCE_NAMES << 3) | 2;

/**
 * @throws TooManyNamesError
 * @throws Error when the bytes are not a DiscoveryRequest.
 */
export function readDiscoveryRequest(bytes: Buffer, options: ReadRequestOptions = {}): RawDiscoveryRequest {
  const { knownNames = [], maxNames = Number.POSITIVE_INFINITY } = options;
  const reader = protobuf.Reader.create(bytes);
  let versionInfo = '';
  let typeUrl = '';
  let responseNonce = '';
  let node: Uint8Array | undefined;
  let errorDetail: RawDiscoveryRequest['errorDetail'];
  let names = 0;
  let newNames = 0;
  const nameRuns: { start: number; end: number }[] = [];
  const countOther = createFieldCount();
  while (reader.pos < reader.len) {
    const start = reader.pos;
    const tag = reader.uint32();
    const field = tag >>> 3;
    const lengthDelimited = (tag & 7) === 2;
    if (!lengthDelimited || field !== RESOURCE_NAMES) countOther();
    if (!lengthDelimited) reader.skipType(tag & 7);
    else if (field === RESOURCE_NAMES) {
      // Only at the first name: the start of a known list decides.
      const known = nameRuns.length > 0 ? undefined : knownNames.find((each) => startsWithAt(bytes, start, each.bytes));
      if (known === undefined) {
        reader.skipType(2);
        const more = walkNames(bytes, reader.pos, maxNames - names);
        reader.pos = more.end;
        newNames += 1 + more.count;
        names += 1 + more.count;
      } else {
        reader.pos = start + known.bytes.length;
        names += known.count;
      }
      if (names > maxNames) throw new TooManyNamesError();
      const last = nameRuns.at(-1);
      if (last?.end === start) last.end = reader.pos;
      else nameRuns.push({ start, end: reader.pos });
    } else if (field === VERSION_INFO) versionInfo = reader.string();
    else if (field === NODE) node = reader.bytes();
    else if (field === TYPE_URL) typeUrl = reader.string();
    else if (field === RESPONSE_NONCE) responseNonce = reader.string();
    else if (field === ERROR_DETAIL) errorDetail = readStatus(reader.bytes());
    else reader.skipType(2);
  }
  return {
    versionInfo,
    typeUrl,
    responseNonce,
    node,
    errorDetail,
    encodedNames: joinRuns(bytes, nameRuns),
    names,
    newNames,
  };
}

/**
 * Decodes RawDiscoveryRequest.encodedNames.
 *
 * @param maxNames further names are left out; unlimited by default
 */
export function* readResourceNames(
  encodedNames: Uint8Array,
  maxNames = Number.POSITIVE_INFINITY,
): Work<readonly string[]> {
  const reader = protobuf.Reader.create(encodedNames);
  const names: string[] = [];
  while (reader.pos < reader.len && names.length < maxNames) {
    reader.uint32();
    names.push(reader.string());
    if (names.length % DECODED_AT_ONCE === 0) yield;
  }
  return names;
}

/** Whether there is no encoded name, or only `*`. */
export function isWildcard(encodedNames: Uint8Array): boolean {
  return encodedNames.length === 0 || (encodedNames.length === 3 && encodedNames[1] === 1 && encodedNames[2] === 0x2a);
}

/**
 * Skips names that follow one another, without the calls that the general reader makes for each name: each sidecar
 * repeats its whole list when services change. Stops at a name that is encoded in another way or is cut off; the
 * general reader reads it.
 *
 * @param most names to skip
 */
function walkNames(bytes: Uint8Array, start: number, most: number): { readonly end: number; readonly count: number } {
  let end = start;
  let count = 0;
  while (count < most && bytes[end] === NAME_TAG) {
    const low = bytes[end + 1] ?? 0;
    const high = low < 0x80 ? 0 : (bytes[end + 2] ?? 0x80);
    if (high >= 0x80) break;
    const next = low < 0x80 ? end + 2 + low : end + 3 + (low & 0x7f) + (high << 7);
    // The message may end after the tag.
    if (next > bytes.length) break;
    end = next;
    count++;
  }
  return { end, count };
}

function startsWithAt(bytes: Buffer, start: number, run: Buffer): boolean {
  const end = start + run.length;
  return run.length > 0 && end <= bytes.length && bytes.compare(run, 0, run.length, start, end) === 0;
}

/** Reads a google.rpc.Status. */
export function readStatus(bytes: Uint8Array): { code: number; message: string } {
  const reader = protobuf.Reader.create(bytes);
  let code = 0;
  let message = '';
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    if (tag === 8) code = reader.int32();
    else if (tag === 18) message = reader.string();
    else reader.skipType(tag & 7);
  }
  return { code, message };
}

/** Joins parts of a message; a single part is not copied. */
export function joinRuns(bytes: Uint8Array, runs: readonly { start: number; end: number }[]): Uint8Array {
  const [only] = runs;
  if (only === undefined) return new Uint8Array(0);
  if (runs.length === 1) return bytes.subarray(only.start, only.end);
  return Buffer.concat(runs.map((run) => bytes.subarray(run.start, run.end)));
}
