import protobuf from 'protobufjs';
import type { Json } from '../envoy/message-json.js';

/** The fields of envoy.config.core.v3.Node that identify a proxy. */
export interface WireNode {
  readonly id: string;
  readonly metadata: { readonly [key: string]: Json };
  readonly locality: { readonly region: string; readonly zone: string; readonly subZone: string };
  /** Version of the proxy's build, for example `1.40.0`; empty if the node has none. */
  readonly userAgentVersion: string;
  /** Name of the proxy's program; empty if the node has none. */
  readonly userAgentName: string;
}

/** Longer parts of a locality, and longer versions, are cut. */
const MAX_TEXT_BYTES = 1_024;

/**
 * Reads a node without its list of extensions, which is most of the 60 KB that Envoy sends and is not needed.
 *
 * @throws MetadataSizeError
 * @throws Error when the bytes are not a Node.
 */
export function readNode(bytes: Uint8Array): WireNode {
  const reader = protobuf.Reader.create(bytes);
  let id = '';
  let metadata: WireNode['metadata'] = {};
  let locality: WireNode['locality'] = { region: '', zone: '', subZone: '' };
  let [userAgentName, userAgentVersion] = ['', ''];
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    if (tag === 0x0a) id = reader.string();
    else if (tag === 0x1a) metadata = readNodeMetadata(reader.bytes());
    else if (tag === 0x22) locality = readLocality(reader.bytes());
    else if (tag === 0x32) userAgentName = readShort(reader);
    else if (tag === 0x3a) userAgentVersion = readShort(reader);
    else if (tag === 0x42) userAgentVersion = readBuildVersion(reader.bytes());
    else reader.skipType(tag & 7);
  }
  return { id, metadata, locality, userAgentName, userAgentVersion };
}

/** Reads the beginning of a text as a copy: a slice would keep the whole message in memory. */
function readShort(reader: protobuf.Reader): string {
  return Buffer.from(reader.bytes().subarray(0, MAX_TEXT_BYTES)).toString();
}

/** The semantic version of a BuildVersion, as `major.minor.patch`. */
function readBuildVersion(bytes: Uint8Array): string {
  const reader = protobuf.Reader.create(bytes);
  let version = '';
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    if (tag === 0x0a) version = readSemanticVersion(reader.bytes());
    else reader.skipType(tag & 7);
  }
  return version;
}

function readSemanticVersion(bytes: Uint8Array): string {
  const reader = protobuf.Reader.create(bytes);
  const numbers = [0, 0, 0];
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    if (tag === 0x08 || tag === 0x10 || tag === 0x18) numbers[(tag >> 3) - 1] = reader.uint32();
    else reader.skipType(tag & 7);
  }
  return numbers.join('.');
}

function readLocality(bytes: Uint8Array): WireNode['locality'] {
  const reader = protobuf.Reader.create(bytes);
  let [region, zone, subZone] = ['', '', ''];
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    if (tag === 0x0a) region = readShort(reader);
    else if (tag === 0x12) zone = readShort(reader);
    else if (tag === 0x1a) subZone = readShort(reader);
    else reader.skipType(tag & 7);
  }
  return { region, zone, subZone };
}

/** No proxy has metadata that is nested deeper, or has more values. */
const MAX_DEPTH = 32;
const MAX_VALUES = 4_096;

/** Node metadata exceeds a limit; the message names the limit. */
export class MetadataSizeError extends Error {}

interface Budget {
  values: number;
}

/**
 * Reads a google.protobuf.Struct as JSON. A peer can send any metadata, so this reader has limits, which a general
 * decoder lacks.
 *
 * @throws MetadataSizeError
 * @throws Error when the bytes are not a Struct
 */
export function readNodeMetadata(bytes: Uint8Array): { readonly [key: string]: Json } {
  return readStruct(bytes, 1, { values: MAX_VALUES });
}

function readStruct(bytes: Uint8Array, depth: number, budget: Budget): { [key: string]: Json } {
  if (depth > MAX_DEPTH) throw new MetadataSizeError(`nested deeper than ${MAX_DEPTH} levels`);
  const entries: [string, Json][] = [];
  const reader = protobuf.Reader.create(bytes);
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    if (tag === 0x0a) entries.push(readEntry(reader.bytes(), depth, budget));
    else reader.skipType(tag & 7);
  }
  return Object.fromEntries(entries);
}

function readEntry(bytes: Uint8Array, depth: number, budget: Budget): [string, Json] {
  const reader = protobuf.Reader.create(bytes);
  let key = '';
  let value: Json = null;
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    if (tag === 0x0a) key = reader.string();
    else if (tag === 0x12) value = readValue(reader.bytes(), depth, budget);
    else reader.skipType(tag & 7);
  }
  return [key, value];
}

function readValue(bytes: Uint8Array, depth: number, budget: Budget): Json {
  if (budget.values === 0) throw new MetadataSizeError(`of more than ${MAX_VALUES} values`);
  budget.values--;
  const reader = protobuf.Reader.create(bytes);
  let value: Json = null;
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    if (tag === 0x11) value = reader.double();
    else if (tag === 0x1a) value = reader.string();
    else if (tag === 0x20) value = reader.bool();
    else if (tag === 0x2a) value = readStruct(reader.bytes(), depth + 1, budget);
    else if (tag === 0x32) value = readList(reader.bytes(), depth + 1, budget);
    else reader.skipType(tag & 7);
  }
  return value;
}

function readList(bytes: Uint8Array, depth: number, budget: Budget): Json[] {
  if (depth > MAX_DEPTH) throw new MetadataSizeError(`nested deeper than ${MAX_DEPTH} levels`);
  const items: Json[] = [];
  const reader = protobuf.Reader.create(bytes);
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    if (tag === 0x0a) items.push(readValue(reader.bytes(), depth, budget));
    else reader.skipType(tag & 7);
  }
  return items;
}
