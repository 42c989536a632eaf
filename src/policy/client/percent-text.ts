const ESCAPES = /(?:%[0-9A-Fa-f]{2})+/g;

/**
 * Decodes percent escapes as UTF-8. Never throws: what is not an escape stays as it is, and bytes that are no UTF-8
 * become U+FFFD. A plus stays a plus: RFC 3986 and RFC 6570 give it no other meaning, and keys in base64 contain it.
 */
export function decodePercent(text: string): string {
  if (!text.includes('%')) return text;
  return text.replace(ESCAPES, (run) => Buffer.from(run.replaceAll('%', ''), 'hex').toString('utf8'));
}

/**
 * How many Unicode characters an encoded text stands for: the escapes of one character count once (RFC 6570 section
 * 2.4.1: a prefix never splits a character or its escapes), the characters of a malformed escape one each.
 */
export function countCharacters(text: string): number {
  let count = 0;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit === 0x25) {
      const byte = escapedByte(text, index);
      if (byte === undefined) count++;
      else {
        index += 2;
        if ((byte & 0xc0) !== 0x80) count++;
      }
    } else if ((unit & 0xfc00) !== 0xdc00) count++;
  }
  return count;
}

function escapedByte(text: string, percentAt: number): number | undefined {
  const high = hexDigit(text.charCodeAt(percentAt + 1));
  const low = hexDigit(text.charCodeAt(percentAt + 2));
  return high === -1 || low === -1 ? undefined : high * 16 + low;
}

/** The digit's value; -1 for anything else, NaN (past the end) included. */
function hexDigit(unit: number): number {
  if (unit >= 0x30 && unit <= 0x39) return unit - 0x30;
  const letter = unit | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}

/**
 * One form for all equal paths (RFC 3986 section 6.2.2): escapes of letters, digits and `-._~` decoded, other escapes
 * in upper case, and a percent sign that starts no escape encoded, lest it start one afterwards. Without it a caller
 * would get around a pattern by writing `/p%65ts` for `/pets`.
 */
export function normalizeEscapes(text: string): string {
  if (!text.includes('%')) return text;
  return text.replace(/%([0-9A-Fa-f]{2})?/g, (escape, digits: string | undefined) => {
    if (digits === undefined) return '%25';
    const character = String.fromCharCode(Number.parseInt(digits, 16));
    return /[A-Za-z0-9\-._~]/.test(character) ? character : escape.toUpperCase();
  });
}
