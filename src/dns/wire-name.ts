/** A name of a question. */
export interface DnsName {
  /** In lower case, without the dot at the end; empty for the root. */
  readonly text: string;
  /** Length in the message. */
  readonly bytes: number;
}

const MAX_LABEL = 63;
const MAX_NAME = 255;
const DOT = 0x2e;
const FIRST_PRINTABLE = 0x21;
const LAST_PRINTABLE = 0x7e;

/**
 * Reads the name of a question, in which compression has no use. Labels with dots, spaces or bytes beyond ASCII are
 * rejected: their text would equal the text of another name, whose answer they could replace in the cache.
 *
 * @returns undefined for a name that is malformed or has such a label
 */
export function readName(message: Buffer, start: number): DnsName | undefined {
  let offset = start;
  for (;;) {
    const length = message[offset];
    if (length === undefined || length > MAX_LABEL || offset + length >= message.length) return undefined;
    offset++;
    if (length === 0) break;
    for (const end = offset + length; offset < end; offset++) {
      const byte = message[offset] ?? 0;
      if (byte < FIRST_PRINTABLE || byte > LAST_PRINTABLE || byte === DOT) return undefined;
    }
    if (offset - start >= MAX_NAME) return undefined;
  }
  return { text: textOf(message, start, offset), bytes: offset - start };
}

function textOf(message: Buffer, start: number, end: number): string {
  const labels: string[] = [];
  for (let offset = start; offset < end - 1; ) {
    const length = message[offset] ?? 0;
    labels.push(message.toString('latin1', offset + 1, offset + 1 + length));
    offset += length + 1;
  }
  return labels.join('.').toLowerCase();
}

/** The offset behind a name that may be compressed; undefined if the message ends before. */
export function skipName(message: Buffer, start: number): number | undefined {
  for (let offset = start; offset < message.length; ) {
    const length = message[offset] ?? 0;
    if (length === 0) return offset + 1;
    if (length >= 0xc0) return offset + 2 <= message.length ? offset + 2 : undefined;
    if (length > MAX_LABEL) return undefined;
    offset += length + 1;
  }
  return undefined;
}
