import { createHash } from 'node:crypto';

const LONGEST = 256;

/**
 * A text as it is, or its SHA-256 when it is long: keys that are made of what callers send take bounded memory. No
 * text may begin with `#` itself.
 */
export function boundedText(text: string): string {
  return text.length <= LONGEST ? text : `#${digest(text)}`;
}

/** Hashes the UTF-16 code units: a lone surrogate, which UTF-8 has no form of, stays different from every other. */
export function digest(text: string): string {
  return createHash('sha256').update(text, 'utf16le').digest('base64url');
}

/** A text that is followed by others, so that no two lists of texts look the same. */
export function sized(text: string): string {
  return `${text.length}:${text}`;
}
