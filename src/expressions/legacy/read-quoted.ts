import { errorAt } from '../expression-syntax-error.js';

const SIMPLE_ESCAPES: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
};
const NUMBERED_ESCAPE = /\\(?:([0-7]{3})|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8}))/y;
const MAX_CODE_POINT = 0x10_ffff;

/**
 * Reads the string that begins at `start` with `"`, `` ` `` or `'`, as Go does: raw between backquotes, and a single
 * character between single quotes. `\x` and octal escapes are characters, where Go has bytes.
 *
 * @returns `end` is the index after the closing quote
 * @throws ExpressionSyntaxError
 */
export function readQuoted(text: string, start: number): { readonly value: string; readonly end: number } {
  const quote = text.charAt(start);
  if (quote === '`') {
    const end = text.indexOf('`', start + 1);
    if (end === -1) throw errorAt(text, start, 'the string has no closing `');
    return { value: text.slice(start + 1, end).replaceAll('\r', ''), end: end + 1 };
  }
  let value = '';
  let at = start + 1;
  for (;;) {
    const char = text.charAt(at);
    if (char === '' || char === '\n') throw errorAt(text, start, `the string has no closing ${quote}`);
    if (char === quote) break;
    if (char !== '\\') {
      value += char;
      at++;
      continue;
    }
    const escaped = readEscape(text, at, quote);
    value += escaped.value;
    at = escaped.end;
  }
  if (quote === "'" && [...value].length !== 1) {
    throw errorAt(
      text,
      start,
      `found a string of ${[...value].length} characters in single quotes, which are for one: use double quotes`,
    );
  }
  return { value, end: at + 1 };
}

function readEscape(text: string, at: number, quote: string): { readonly value: string; readonly end: number } {
  const next = text.charAt(at + 1);
  const simple = next === quote ? quote : SIMPLE_ESCAPES[next];
  if (simple !== undefined) return { value: simple, end: at + 2 };
  NUMBERED_ESCAPE.lastIndex = at;
  const numbered = NUMBERED_ESCAPE.exec(text);
  const [whole = '', octal, hex, short, long] = numbered ?? [];
  const code = octal === undefined ? Number.parseInt(hex ?? short ?? long ?? '', 16) : Number.parseInt(octal, 8);
  const isSurrogate = code >= 0xd800 && code <= 0xdfff;
  if (numbered === null || code > MAX_CODE_POINT || isSurrogate || (octal !== undefined && code > 0xff)) {
    throw errorAt(
      text,
      at,
      `found the escape ${JSON.stringify(text.slice(at, at + 2))}, which has no meaning: write \\\\ for a backslash`,
    );
  }
  return { value: String.fromCodePoint(code), end: at + whole.length };
}
