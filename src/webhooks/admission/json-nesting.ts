const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** `[` and `{` differ in this bit, and so do `]` and `}`. */
const BRACE_BIT = 0x20;
const OPEN = 0x7b;
const CLOSE = 0x7d;

/**
 * Whether a JSON text nests deeper than a number of lists and mappings, without parsing it: what reads an object
 * afterwards may then recurse. Of text that is not JSON the answer means nothing.
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

/** @param start of its opening quotation mark. @returns where its closing one is, or the text's end */
export function endOfString(text: Uint8Array, start: number): number {
  let index = start + 1;
  for (; index < text.length; index++) {
    const byte = text[index];
    if (byte === QUOTE) break;
    if (byte === BACKSLASH) index++;
  }
  return index;
}
