import protobuf from 'protobufjs';
import { joinRuns, type RawDiscoveryRequest, readStatus, TooManyNamesError } from '../request-wire.js';

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
 * @param maxNames of each list
 * @throws TooManyNamesError
 * @throws Error when the bytes are not a DeltaDiscoveryRequest.
 */
export function readDeltaRequest(bytes: Buffer, maxNames: number): RawDeltaRequest {
  const reader = protobuf.Reader.create(bytes);
  const lists = { subscribe: newList(), unsubscribe: newList(), versions: newList() };
  let typeUrl = '';
  let responseNonce = '';
  let node: Uint8Array | undefined;
  let errorDetail: RawDeltaRequest['errorDetail'];
  while (reader.pos < reader.len) {
    const start = reader.pos;
    const tag = reader.uint32();
    const field = tag >>> 3;
    const list = field === SUBSCRIBE ? lists.subscribe : field === UNSUBSCRIBE ? lists.unsubscribe : lists.versions;
    if ((tag & 7) !== 2) reader.skipType(tag & 7);
    else if (field === SUBSCRIBE || field === UNSUBSCRIBE || field === VERSIONS) {
      reader.skipType(2);
      if (++list.count > maxNames) throw new TooManyNamesError();
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

/** A name of RawDeltaRequest.versions, and the place of its version. */
export interface VersionEntry {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** Reads RawDeltaRequest.versions. A version stays encoded: most are the expected ones. */
export function* readVersionEntries(encoded: Uint8Array): Generator<VersionEntry, void, void> {
  const reader = protobuf.Reader.create(encoded);
  while (reader.pos < reader.len) {
    reader.uint32();
    const entryEnd = reader.uint32() + reader.pos;
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
    yield { name, start, end };
  }
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
