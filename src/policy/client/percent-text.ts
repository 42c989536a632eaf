const ESCAPES = /(?:%[0-9A-Fa-f]{2})+/g;

/**
 * Decodes percent escapes as UTF-8. Never throws: other text stays unchanged, and invalid UTF-8 becomes U+FFFD. A plus
 * stays a plus: RFC 3986 and RFC 6570 give it no other meaning, and keys in base64 contain it.
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

/** The value of the digit; -1 for any other character and past the end (NaN). */
function hexDigit(unit: number): number {
  if (unit >= 0x30 && unit <= 0x39) return unit - 0x30;
  const letter = unit | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}

/**
 * The same text for all equal paths (RFC 3986 section 6.2.2). Escapes of letters, digits and `-._~` are decoded, other
 * escapes get upper case, and a percent sign outside of an escape is encoded. Otherwise a caller could avoid a pattern
 * for `/pets` with `/p%65ts`.
 */
export function normalizeEscapes(text: string): string {
  if (!text.includes('%')) return text;
  return text.replace(/%([0-9A-Fa-f]{2})?/g, (escape, digits: string | undefined) => {
    if (digits === undefined) return '%25';
    const character = String.fromCharCode(Number.parseInt(digits, 16));
    return /[A-Za-z0-9\-._~]/.test(character) ? character : escape.toUpperCase();
  });
}
