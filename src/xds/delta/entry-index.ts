import protobuf from 'protobufjs';
import type { EncodedResource } from '../../envoy/encoded-resource.js';

/** Finds resources by the bytes of an `initial_resource_versions` entry that has their name and version. */
export interface EntryIndex {
  /** @returns the index of the resource whose entry has exactly these bytes; -1 if there is none */
  find(bytes: Uint8Array, start: number, end: number): number;
}

/** Tag of DeltaDiscoveryRequest.initial_resource_versions, and tags of the fields of its entries. */
const ENTRY = 0x2a;
const NAME = 0x0a;
const VERSION = 0x12;
/** Characters of a version that choose its place. A version is a hash, so its last characters are random enough. */
const KEY_BYTES = 4;

/**
 * A reconnecting mesh sends millions of entries, so a look-up creates no object and calls no function of Node.
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
  const known = writer.finish();
  let size = 4;
  while (size < resources.length * 2) size *= 2;
  /** The index of a resource plus one, at the place of its key or behind it; 0 is free. */
  const table = new Uint32Array(size);
  const placeOf = (bytes: Uint8Array, end: number): number => {
    let key = 0;
    for (let at = end - KEY_BYTES; at < end; at++) key = Math.imul(key, 67) + (bytes[at] ?? 0);
    return key & (size - 1);
  };
  ends.forEach((end, index) => {
    let place = placeOf(known, end);
    while (table[place] !== 0) place = (place + 1) & (size - 1);
    table[place] = index + 1;
  });

  const isAt = (index: number, bytes: Uint8Array, start: number, end: number): boolean => {
    const knownEnd = ends[index] ?? 0;
    const knownStart = index === 0 ? 0 : (ends[index - 1] ?? 0);
    if (knownEnd - knownStart !== end - start) return false;
    // The version differs more often than the name, and is at the end.
    for (let at = end - 1, other = knownEnd - 1; at >= start; at--, other--) {
      if (bytes[at] !== known[other]) return false;
    }
    return true;
  };

  return {
    find: (bytes, start, end) => {
      if (end - start < KEY_BYTES) return -1;
      for (let place = placeOf(bytes, end); ; place = (place + 1) & (size - 1)) {
        const entry = table[place] ?? 0;
        if (entry === 0) return -1;
        if (isAt(entry - 1, bytes, start, end)) return entry - 1;
      }
    },
  };
}
