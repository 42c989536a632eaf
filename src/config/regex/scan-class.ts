/** One member of a character class, or an escape outside a class. */
export interface ScannedItem {
  /** Index after the item. */
  readonly end: number;
  /** Code point of a single character; undefined for a class such as \d or \pL. */
  readonly codePoint: number | undefined;
  /** Whether the item is a Unicode class. */
  readonly isUnicodeClass: boolean;
}

/**
 * Bytes counted for a Unicode class. Its table has up to 1,400 ranges of 8 bytes, but reading it takes 0.1 ms, as long as
 * hundreds of instructions. The number reflects that time.
 */
const UNICODE_CLASS_BYTES = 40_000;
/** Ranges of \w, \d, [:alpha:] and similar classes, with their typed array. */
const CLASS_BYTES = 320;
const RANGE_BYTES = 16;
/** With (?i), re2js looks up each character of a range. */
const FOLDED_CHARACTER_BYTES = 8;
/** The last character that has a lower or upper case. re2js does not look up characters beyond it. */
const MAX_FOLDED = 0x1_e943;

/** Bytes of the ranges of one item. */
export function classItemCost({ codePoint, isUnicodeClass }: ScannedItem, isFolding: boolean): number {
  if (isUnicodeClass) return UNICODE_CLASS_BYTES;
  if (codePoint === undefined) return CLASS_BYTES;
  return isFolding ? 4 * RANGE_BYTES : 0;
}

/** Reads the class in brackets that begins at `start`. A class without a closing bracket ends with the text. */
export function scanClass(
  text: string,
  start: number,
  isFolding: boolean,
): { readonly end: number; readonly bytes: number } {
  let bytes = CLASS_BYTES;
  let index = start + (text.charAt(start + 1) === '^' ? 2 : 1);
  let isFirst = true;
  while (index < text.length && (isFirst || text.charAt(index) !== ']')) {
    isFirst = false;
    const named = /^\[:[^\]]*?:\]/.exec(text.slice(index, index + 16));
    if (named !== null) {
      bytes += CLASS_BYTES;
      index += named[0].length;
      continue;
    }
    const low = scanItem(text, index);
    index = low.end;
    if (low.codePoint === undefined) {
      bytes += classItemCost(low, isFolding);
      continue;
    }
    let high = low.codePoint;
    if (text.charAt(index) === '-' && index + 1 < text.length && text.charAt(index + 1) !== ']') {
      const item = scanItem(text, index + 1);
      high = item.codePoint ?? low.codePoint;
      index = item.end;
    }
    bytes += RANGE_BYTES;
    if (isFolding) bytes += FOLDED_CHARACTER_BYTES * Math.max(4, Math.min(high, MAX_FOLDED) - low.codePoint + 1);
  }
  return { end: Math.min(index + 1, text.length), bytes };
}

function scanItem(text: string, index: number): ScannedItem {
  if (text.charAt(index) === '\\') return scanEscape(text, index);
  const codePoint = text.codePointAt(index) ?? 0;
  return { end: index + (codePoint > 0xffff ? 2 : 1), codePoint, isUnicodeClass: false };
}

/** Reads the escape that begins at `index` with its backslash. */
export function scanEscape(text: string, index: number): ScannedItem {
  const rest = text.slice(index, index + 64);
  const unicode = /^\\[pP](?:\{[^}]*\}?|.)?/su.exec(rest);
  if (unicode !== null) return { end: index + unicode[0].length, codePoint: undefined, isUnicodeClass: true };
  const hex = /^\\x(?:\{([0-9A-Fa-f]{1,8})\}|([0-9A-Fa-f]{2}))/.exec(rest);
  if (hex !== null) {
    return {
      end: index + hex[0].length,
      codePoint: Number.parseInt(hex[1] ?? hex[2] ?? '0', 16),
      isUnicodeClass: false,
    };
  }
  const octal = /^\\([0-7]{1,3})/.exec(rest);
  if (octal !== null) {
    return { end: index + octal[0].length, codePoint: Number.parseInt(octal[1] ?? '0', 8), isUnicodeClass: false };
  }
  const next = text.codePointAt(index + 1);
  const end = index + 1 + (next === undefined ? 0 : next > 0xffff ? 2 : 1);
  if (next !== undefined && 'dDwWsS'.includes(String.fromCodePoint(next))) {
    return { end, codePoint: undefined, isUnicodeClass: false };
  }
  return { end, codePoint: next ?? 0, isUnicodeClass: false };
}
