import protobuf from 'protobufjs';
import {
  createFieldCount,
  joinRuns,
  type RawDiscoveryRequest,
  readStatus,
  TooManyNamesError,
} from '../request-wire.js';

/**
 * The fields of a DeltaDiscoveryRequest, read from its bytes. Node, names and versions stay encoded: Envoy repeats its
 * node of 60 KB in every request, and sidecars of equal scope send equal lists.
 */
export interface RawDeltaRequest {
  readonly typeUrl: string;
  readonly responseNonce: string;
  /** Encoded envoy.config.core.v3.Node; absent in most requests of some clients. */
  readonly node: Uint8Array | undefined;
  readonly errorDetail: RawDiscoveryRequest['errorDetail'];
  /** Every resource_names_subscribe field as encoded. */
  readonly subscribe: Uint8Array;
  /** Every resource_names_unsubscribe field as encoded. */
  readonly unsubscribe: Uint8Array;
  /** Every initial_resource_versions field as encoded. */
  readonly versions: Uint8Array;
  /** How many names the three lists have together, repetitions included. */
  readonly names: number;
}

/** Field numbers of DeltaDiscoveryRequest. */
const NODE = 1;
const TYPE_URL = 2;
const SUBSCRIBE = 3;
const UNSUBSCRIBE = 4;
const VERSIONS = 5;
const RESPONSE_NONCE = 6;
const ERROR_DETAIL = 7;

/** Field numbers and types of an entry of `initial_resource_versions`. */
const NAME_OF_ENTRY = 0x0a;
const VERSION_OF_ENTRY = 0x12;

interface Run {
  start: number;
  end: number;
}

/**
 * @param maxNamesOf the most names of each list, by the type; a type that comes after the lists is empty here
 * @throws TooManyNamesError
 * @throws Error when the bytes are not a DeltaDiscoveryRequest.
 */
export function readDeltaRequest(bytes: Buffer, maxNamesOf: (typeUrl: string) => number): RawDeltaRequest {
  const reader = protobuf.Reader.create(bytes);
  const lists = { subscribe: newList(), unsubscribe: newList(), versions: newList() };
  let typeUrl = '';
  let responseNonce = '';
  let node: Uint8Array | undefined;
  let errorDetail: RawDeltaRequest['errorDetail'];
  const countOther = createFieldCount();
  while (reader.pos < reader.len) {
    const start = reader.pos;
    const listTag = bytes[start] ?? 0;
    const walked = LIST_TAGS.includes(listTag) ? walkShortFields(bytes, start) : NO_FIELDS;
    const tag = walked.count === 0 ? reader.uint32() : listTag;
    const field = tag >>> 3;
    const list = field === SUBSCRIBE ? lists.subscribe : field === UNSUBSCRIBE ? lists.unsubscribe : lists.versions;
    const isList = (tag & 7) === 2 && (field === SUBSCRIBE || field === UNSUBSCRIBE || field === VERSIONS);
    if (!isList) countOther();
    if ((tag & 7) !== 2) reader.skipType(tag & 7);
    else if (isList) {
      if (walked.count === 0) reader.skipType(2);
      else reader.pos = walked.end;
      list.count += walked.count || 1;
      if (list.count > maxNamesOf(typeUrl)) throw new TooManyNamesError();
      const last = list.runs.at(-1);
      if (last?.end === start) last.end = reader.pos;
      else list.runs.push({ start, end: reader.pos });
    } else if (field === NODE) node = reader.bytes();
    else if (field === TYPE_URL) typeUrl = reader.string();
    else if (field === RESPONSE_NONCE) responseNonce = reader.string();
    else if (field === ERROR_DETAIL) errorDetail = readStatus(reader.bytes());
    else reader.skipType(2);
  }
  return {
    ...{ typeUrl, responseNonce, node, errorDetail },
    subscribe: joinRuns(bytes, lists.subscribe.runs),
    unsubscribe: joinRuns(bytes, lists.unsubscribe.runs),
    versions: joinRuns(bytes, lists.versions.runs),
    names: lists.subscribe.count + lists.unsubscribe.count + lists.versions.count,
  };
}

/** The type and the nonce of a request that has no other fields, except the node that Envoy repeats in every request. */
export interface RawAnswer {
  readonly typeUrl: string;
  readonly nonce: string;
}

/**
 * Reads an acknowledgement. It stops at the first other field, so a long request costs nothing here.
 *
 * @returns undefined for any other request, and for bytes that are none
 */
export function readAnswer(bytes: Buffer): RawAnswer | undefined {
  let typeUrl = '';
  let nonce = '';
  try {
    const reader = protobuf.Reader.create(bytes);
    while (reader.pos < reader.len) {
      const tag = reader.uint32();
      if (tag === tagOf(TYPE_URL)) typeUrl = reader.string();
      else if (tag === tagOf(RESPONSE_NONCE)) nonce = reader.string();
      else if (tag === tagOf(NODE)) reader.skipType(2);
      else return undefined;
    }
  } catch {
    return undefined;
  }
  return nonce === '' ? undefined : { typeUrl, nonce };
}

/** The tag of a field with a length. */
function tagOf(field: number): number {
  return (field << 3) | 2;
}

/** Tags of the fields that a request has thousands of. */
const LIST_TAGS: readonly number[] = [tagOf(SUBSCRIBE), tagOf(UNSUBSCRIBE), tagOf(VERSIONS)];

interface WalkedFields {
  readonly end: number;
  readonly count: number;
}

const NO_FIELDS: WalkedFields = { end: 0, count: 0 };

/** Skips fields with one tag that follow one another, as long as their lengths are short. */
function walkShortFields(bytes: Uint8Array, start: number): WalkedFields {
  const tag = bytes[start];
  let end = start;
  let count = 0;
  for (let next = shortFieldEnd(bytes, start); next > 0; next = bytes[end] === tag ? shortFieldEnd(bytes, end) : 0) {
    end = next;
    count++;
  }
  return { end, count };
}

/**
 * The end of a field whose tag has one byte and whose length has one or two. Nearly all names and versions are such
 * fields, and a reconnecting mesh sends millions of them.
 *
 * @returns 0 for another field, and for one that is not complete
 */
function shortFieldEnd(bytes: Uint8Array, start: number): number {
  const low = bytes[start + 1] ?? 0x80;
  const high = low < 0x80 ? 0 : (bytes[start + 2] ?? 0x80);
  if (high >= 0x80) return 0;
  const end = low < 0x80 ? start + 2 + low : start + 3 + (low & 0x7f) + high * 0x80;
  return end <= bytes.length ? end : 0;
}

/** A name of RawDeltaRequest.versions, and the place of its version. */
export interface VersionEntry {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/**
 * The end of the entry of RawDeltaRequest.versions that starts at a place.
 *
 * @throws Error when the bytes end earlier
 */
export function entryEnd(encoded: Uint8Array, start: number): number {
  const shortEnd = encoded[start] === tagOf(VERSIONS) ? shortFieldEnd(encoded, start) : 0;
  if (shortEnd > 0) return shortEnd;
  let at = start;
  while ((encoded[at++] ?? 0) >= 0x80);
  let length = 0;
  let factor = 1;
  for (let byte = 0x80; byte >= 0x80; at++) {
    byte = encoded[at] ?? Number.NaN;
    length += (byte & 0x7f) * factor;
    factor *= 0x80;
  }
  if (!(at + length <= encoded.length)) throw new RangeError('an entry of initial_resource_versions is not complete');
  return at + length;
}

/** Reads an entry of RawDeltaRequest.versions. The version stays encoded: most are the expected ones. */
export function readVersionEntry(encoded: Uint8Array, entryStart: number, entryEnd: number): VersionEntry {
  const reader = protobuf.Reader.create(encoded);
  reader.pos = entryStart;
  reader.uint32();
  reader.uint32();
  let name = '';
  let [start, end] = [0, 0];
  while (reader.pos < entryEnd) {
    const tag = reader.uint32();
    if (tag === NAME_OF_ENTRY) name = reader.string();
    else if (tag === VERSION_OF_ENTRY) {
      const length = reader.uint32();
      start = reader.pos;
      reader.skip(length);
      end = reader.pos;
    } else reader.skipType(tag & 7);
  }
  return { name, start, end };
}

/** @param version of ASCII characters */
export function hasVersion(encoded: Uint8Array, { start, end }: VersionEntry, version: string): boolean {
  if (end - start !== version.length) return false;
  for (let index = 0; index < version.length; index++) {
    if (encoded[start + index] !== version.charCodeAt(index)) return false;
  }
  return true;
}

export function versionOf(encoded: Uint8Array, { start, end }: VersionEntry): string {
  return Buffer.from(encoded.buffer, encoded.byteOffset + start, end - start).toString();
}

function newList(): { readonly runs: Run[]; count: number } {
  return { runs: [], count: 0 };
}
