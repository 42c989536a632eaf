import protobuf from 'protobufjs';
import type { Json } from '../envoy/message-json.js';

/** Metadata that is nested deeper than that, or has more values, is that of no proxy. */
const MAX_DEPTH = 32;
const MAX_VALUES = 4_096;

/** Node metadata that is too large to be read; the message says in what. */
export class MetadataSizeError extends Error {}

interface Budget {
  values: number;
}

/**
 * Reads a google.protobuf.Struct as JSON. A peer's metadata may be anything: it is read without a general decoder, and
 * no further than its bounds.
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
