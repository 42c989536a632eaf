import type { X509Certificate } from 'node:crypto';

/** A name: its kind, a colon, and its value. Node writes the value as JSON text if it has special characters. */
const NAME = /([A-Za-z0-9 ]+):("(?:[^"\\]|\\.)*"|[^,"]*)(?:, |$)/y;

/**
 * The URI names of a certificate, in its order. Node returns all names in one text, and quotes each value that could be
 * taken for another name.
 *
 * @returns undefined when the names cannot be separated
 */
export function uriNamesOf({ subjectAltName }: X509Certificate): readonly string[] | undefined {
  const text = subjectAltName ?? '';
  const uris: string[] = [];
  NAME.lastIndex = 0;
  while (NAME.lastIndex < text.length) {
    const match = NAME.exec(text);
    if (match === null) return undefined;
    const [, kind, value = ''] = match;
    if (kind === 'URI') uris.push(value);
  }
  return uris;
}
