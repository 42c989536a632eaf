import type {
  CompressedAttributes,
  CompressedAttributes__Output,
} from '../../generated/policy/mesh/policy/v1/CompressedAttributes.js';
import { type AttributeBag, bagOf } from '../client/attribute-bag.js';
import {
  type AttributeValue,
  boolAttribute,
  bytesAttribute,
  doubleAttribute,
  durationAttribute,
  int64Attribute,
  stringAttribute,
  stringMapAttribute,
  timestampAttribute,
} from '../client/attribute-value.js';
import type { WordReader, WordWriter } from './attribute-words.js';
import { PolicyWireError } from './policy-wire-error.js';
import { durationMessage, readDuration, readTimestamp, timestampMessage } from './wire-time.js';

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

/**
 * The number of characters that the attributes of one message may have. A few bytes can refer to a long word many
 * times: without a limit, a small message could become gigabytes in logs and cache keys.
 */
export interface ExpansionBudget {
  /**
   * Subtracts the length of the word from the budget.
   *
   * @throws PolicyWireError when the budget is spent
   */
  spend(word: string): string;
}

export function createExpansionBudget(maxCharacters: number): ExpansionBudget {
  let left = maxCharacters;
  return {
    spend: (word) => {
      left -= word.length;
      if (left >= 0) return word;
      throw new PolicyWireError('attributes', `have more than ${maxCharacters} characters: send fewer or shorter ones`);
    },
  };
}

/**
 * Reads attributes with numbers for their words.
 *
 * @param field path of the message, for errors
 * @throws PolicyWireError for a number without a word, a repeated name, an invalid time, and too much text
 */
export function expandAttributes(
  message: CompressedAttributes__Output,
  wordOf: WordReader,
  budget: ExpansionBudget,
  field: string,
): AttributeBag {
  const layer = new Map<string, AttributeValue>();
  const word = (number: number, at: string): string => budget.spend(wordOf(number, at));

  const read = <Wire>(
    member: string,
    entries: Readonly<Record<number, Wire>> | undefined,
    valueOf: (wire: Wire, at: string) => AttributeValue,
  ): void => {
    for (const [key, wire] of Object.entries(entries ?? {})) {
      const at = `${field}.${member}[${key}]`;
      const name = word(Number(key), at);
      if (layer.has(name)) throw new PolicyWireError(at, `repeats ${JSON.stringify(name)}: send one value for a name`);
      layer.set(name, valueOf(wire, at));
    }
  };

  const readEntries = (entries: Readonly<Record<number, number>>, at: string): ReadonlyMap<string, string> => {
    const map = new Map<string, string>();
    for (const [keyNumber, valueNumber] of Object.entries(entries)) {
      const entry = `${at}.entries[${keyNumber}]`;
      const key = word(Number(keyNumber), entry);
      if (map.has(key)) throw new PolicyWireError(entry, `repeats ${JSON.stringify(key)}: send one value for a key`);
      map.set(key, word(valueNumber, entry));
    }
    return map;
  };

  read('strings', message.strings, (number, at) => stringAttribute(word(number, at)));
  read('int64s', message.int64s, (text) => int64Attribute(BigInt(text)));
  read('doubles', message.doubles, doubleAttribute);
  read('bools', message.bools, boolAttribute);
  read('bytes', message.bytes, bytesAttribute);
  read('timestamps', message.timestamps, (time, at) => timestampAttribute(readTimestamp(time, at)));
  read('durations', message.durations, (time, at) => durationAttribute(readDuration(time, at)));
  read('string_maps', message.stringMaps, ({ entries = {} }, at) => stringMapAttribute(readEntries(entries, at)));
  return bagOf(layer);
}
