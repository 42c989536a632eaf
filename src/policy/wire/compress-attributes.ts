import type { CompressedAttributes } from '../../generated/policy/mesh/policy/v1/CompressedAttributes.js';
import type { AttributeBag } from '../client/attribute-bag.js';
import type { WordWriter } from './attribute-words.js';
import { durationMessage, timestampMessage } from './wire-time.js';

/** All the maps of the message, to be filled; an empty one takes no bytes. */
type AttributeMaps = Required<Omit<CompressedAttributes, 'words'>>;

/**
 * Writes every attribute of the bag with numbers for its words. The words themselves stay in the writer: they go into
 * this message, or into the report that it is part of.
 */
export function compressAttributes(bag: AttributeBag, words: WordWriter): AttributeMaps {
  const maps: AttributeMaps = {
    strings: {},
    int64s: {},
    doubles: {},
    bools: {},
    bytes: {},
    timestamps: {},
    durations: {},
    stringMaps: {},
  };
  for (const [name, attribute] of bag.entries()) {
    const number = words.numberOf(name);
    switch (attribute.type) {
      case 'string':
        maps.strings[number] = words.numberOf(attribute.value);
        break;
      case 'int64':
        maps.int64s[number] = String(attribute.value);
        break;
      case 'double':
        maps.doubles[number] = attribute.value;
        break;
      case 'bool':
        maps.bools[number] = attribute.value;
        break;
      case 'bytes':
        maps.bytes[number] = attribute.value;
        break;
      case 'timestamp':
        maps.timestamps[number] = timestampMessage(attribute.value);
        break;
      case 'duration':
        maps.durations[number] = durationMessage(attribute.value);
        break;
      case 'stringMap':
        maps.stringMaps[number] = { entries: compressEntries(attribute.value, words) };
        break;
    }
  }
  return maps;
}

function compressEntries(entries: ReadonlyMap<string, string>, words: WordWriter): Record<number, number> {
  const compressed: Record<number, number> = {};
  for (const [key, value] of entries) compressed[words.numberOf(key)] = words.numberOf(value);
  return compressed;
}
