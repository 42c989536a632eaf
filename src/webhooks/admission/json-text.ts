const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
/** `[` and `{` differ in this bit, and so do `]` and `}`. */
const BRACE_BIT = 0x20;
const OPEN = 0x7b;
const CLOSE = 0x7d;

/**
 * Whether lists and mappings of a JSON text are nested deeper than `maxDepth`. It does not parse the text. Readers of
 * the parsed object may then recurse. For text that is not JSON the result is undefined.
 */
export function nestsDeeperThan(text: Uint8Array, maxDepth: number): boolean {
  let depth = 0;
  for (let index = 0; index < text.length; index++) {
    const byte = text[index] ?? 0;
    if (byte === QUOTE) {
      index = endOfString(text, index);
      continue;
    }
    const bracket = byte | BRACE_BIT;
    if (bracket === OPEN) {
      depth++;
      if (depth > maxDepth) return true;
    } else if (bracket === CLOSE) {
      depth--;
    }
  }
  return false;
}

/** @param start index of the opening quotation mark. @returns index of the closing one, or the length of the text */
function endOfString(text: Uint8Array, start: number): number {
  let index = start + 1;
  for (; index < text.length; index++) {
    const byte = text[index];
    if (byte === QUOTE) break;
    if (byte === BACKSLASH) index++;
  }
  return index;
}

/** Memory of one value: an empty object takes 56 bytes, a field of a large mapping about as much, without texts. */
const BYTES_PER_VALUE = 64;
/** A text can take two bytes for each character. */
const BYTES_PER_BYTE = 2;

/**
 * Upper estimate of the memory that a JSON text takes when parsed, without parsing it. A text of 3 MB that consists of
 * empty objects takes twenty times its size.
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
