import { endOfString } from './json-nesting.js';

const QUOTE = 0x22;
const COMMA = 0x2c;
/** `[` and `{` differ in this bit. */
const BRACE_BIT = 0x20;
const OPEN = 0x7b;

/** Of one value: an empty object takes 56 bytes, a field of a large mapping about as much, beside its texts. */
const BYTES_PER_VALUE = 64;
/** A text may take two bytes for each character. */
const BYTES_PER_BYTE = 2;

/**
 * How much memory a JSON text takes once it is parsed, about: a text of 3 MB that consists of empty objects takes
 * twenty times as much. Rather too much than too little, without parsing it.
 */
export function estimateParsedBytes(text: Uint8Array): number {
  let values = 1;
  for (let index = 0; index < text.length; index++) {
    const byte = text[index] ?? 0;
    if (byte === QUOTE) index = endOfString(text, index);
    else if (byte === COMMA || (byte | BRACE_BIT) === OPEN) values++;
  }
  return text.length * BYTES_PER_BYTE + values * BYTES_PER_VALUE;
}
