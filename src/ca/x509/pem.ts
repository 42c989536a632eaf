/** The text is not valid PEM. The message contains no part of it, because it may be a key. */
export class PemError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'PemError';
  }
}

export interface PemBlock {
  /** `CERTIFICATE` */
  readonly label: string;
  readonly der: Buffer;
}

const BEGIN = '-----BEGIN ';
const DASHES = '-----';
const LINE_LENGTH = 64;
const LABEL = /^[A-Z0-9][A-Z0-9 ]{0,62}$/;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/**
 * The blocks of a text, in order; an empty list for a text without blocks. Text between blocks is skipped (RFC 7468
 * section 5.2). A block that is truncated, has headers or is not canonical base64 is an error.
 *
 * @throws PemError
 */
export function parsePem(text: string): readonly PemBlock[] {
  const blocks: PemBlock[] = [];
  for (let at = text.indexOf(BEGIN); at !== -1; ) {
    const labelEnd = text.indexOf(DASHES, at + BEGIN.length);
    const label = text.slice(at + BEGIN.length, Math.max(labelEnd, at + BEGIN.length));
    if (!LABEL.test(label)) throw new PemError(`block ${blocks.length + 1} has no label`);
    const footer = `-----END ${label}-----`;
    const bodyStart = labelEnd + DASHES.length;
    const bodyEnd = text.indexOf(footer, bodyStart);
    if (bodyEnd === -1) throw new PemError(`block ${blocks.length + 1} (${label}) does not end`);
    blocks.push({ label, der: decodeBody(text.slice(bodyStart, bodyEnd), `block ${blocks.length + 1} (${label})`) });
    at = text.indexOf(BEGIN, bodyEnd + footer.length);
  }
  return blocks;
}

export function formatPem(label: string, octets: Buffer): string {
  const base64 = octets.toString('base64');
  const lines: string[] = [];
  for (let at = 0; at < base64.length; at += LINE_LENGTH) lines.push(base64.slice(at, at + LINE_LENGTH));
  return [`${BEGIN}${label}${DASHES}`, ...lines, `-----END ${label}${DASHES}`, ''].join('\n');
}

function decodeBody(body: string, where: string): Buffer {
  const base64 = body.replaceAll(/[ \t\r\n]+/g, '');
  const octets = Buffer.from(base64, 'base64');
  // Node skips characters that are not base64. Two different texts must not have the same meaning.
  if (!BASE64.test(base64) || octets.toString('base64') !== base64) throw new PemError(`${where} is not base64`);
  return octets;
}
