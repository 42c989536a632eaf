import protobuf from 'protobufjs';
import type { EncodedResource } from '../../envoy/encoded-resource.js';

/** Finds resources by the bytes of an `initial_resource_versions` entry that has their name and version. */
export interface EntryIndex {
  /** @returns the index of the resource whose entry has exactly these bytes; -1 if there is none */
  find(bytes: DataView, start: number, end: number): number;
}

/** Tag of DeltaDiscoveryRequest.initial_resource_versions, and tags of the fields of its entries. */
const ENTRY = 0x2a;
const NAME = 0x0a;
const VERSION = 0x12;
/** The last bytes of an entry choose its place: a version is a hash, so its last characters are random enough. */
const KEY_BYTES = 4;
/**
 * Bytes that are compared at once, as a floating-point number: the fastest word of eight bytes in JavaScript. Two such
 * numbers are equal only if their bytes are, except for zeros, and known entries are text without zeros.
 */
const WORD_BYTES = 8;
/** The golden ratio in 32 bits: a product with it has random high bits (Knuth, The Art of Computer Programming, 6.4). */
const MULTIPLIER = 0x9e3779b1;

/**
 * A reconnecting mesh sends millions of entries, so a look-up creates no object, calls no function of Node, and compares
 * words instead of bytes.
 *
 * @param resources an entry with other bytes, such as the fields in another order, is not found
 */
export function createEntryIndex(resources: readonly Pick<EncodedResource, 'name' | 'version'>[]): EntryIndex {
  const writer = protobuf.Writer.create();
  const ends = new Uint32Array(resources.length);
  resources.forEach(({ name, version }, index) => {
    writer.uint32(ENTRY).fork().uint32(NAME).string(name).uint32(VERSION).string(version).ldelim();
    ends[index] = writer.len;
  });
  const known = viewOf(writer.finish());
  let bits = 2;
  while (2 ** bits < resources.length * 2) bits++;
  const mask = 2 ** bits - 1;
  /** The index of a resource plus one, at the place of its key or behind it; 0 is free. */
  const table = new Uint32Array(2 ** bits);
  const placeOf = (bytes: DataView, end: number): number =>
    Math.imul(bytes.getInt32(end - KEY_BYTES, true), MULTIPLIER) >>> (32 - bits);
  ends.forEach((end, index) => {
    let place = placeOf(known, end);
    while (table[place] !== 0) place = (place + 1) & mask;
    table[place] = index + 1;
  });

  const isAt = (index: number, bytes: DataView, start: number, end: number): boolean => {
    const knownEnd = ends[index] ?? 0;
    const knownStart = index === 0 ? 0 : (ends[index - 1] ?? 0);
    if (knownEnd - knownStart !== end - start) return false;
    // The version differs more often than the name, and is at the end.
    let at = end - WORD_BYTES;
    for (let other = knownEnd - WORD_BYTES; at >= start; at -= WORD_BYTES, other -= WORD_BYTES) {
      if (bytes.getFloat64(at, true) !== known.getFloat64(other, true)) return false;
    }
    // The first word, for what is shorter than a word.
    return bytes.getFloat64(start, true) === known.getFloat64(knownStart, true);
  };

  return {
    find: (bytes, start, end) => {
      if (end - start < WORD_BYTES) return -1;
      for (let place = placeOf(bytes, end); ; place = (place + 1) & mask) {
        const entry = table[place] ?? 0;
        if (entry === 0) return -1;
        if (isAt(entry - 1, bytes, start, end)) return entry - 1;
      }
    },
  };
}

export function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}
