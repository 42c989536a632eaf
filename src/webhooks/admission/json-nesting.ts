const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_MAPPING = 0x7b;
const CLOSE_MAPPING = 0x7d;

/**
 * Whether a JSON text nests deeper than a number of lists and mappings, without parsing it: what reads an object
 * afterwards may then recurse. Of text that is not JSON the answer means nothing.
 */
export function nestsDeeperThan(text: Uint8Array, maxDepth: number): boolean {
  let depth = 0;
  let inString = false;
  for (let index = 0; index < text.length; index++) {
    const byte = text[index];
    if (inString) {
      if (byte === BACKSLASH) index++;
      else if (byte === QUOTE) inString = false;
    } else if (byte === QUOTE) {
      inString = true;
    } else if (byte === OPEN_MAPPING || byte === OPEN_LIST) {
      depth++;
      if (depth > maxDepth) return true;
    } else if (byte === CLOSE_MAPPING || byte === CLOSE_LIST) {
      depth--;
    }
  }
  return false;
}
