import type { X509Certificate } from 'node:crypto';

/** A name: its kind, a colon, and its value, which is JSON text where it has characters that could mislead. */
const NAME = /([A-Za-z0-9 ]+):("(?:[^"\\]|\\.)*"|[^,"]*)(?:, |$)/y;

/**
 * The URI names of a certificate, in its order. Reads node's text of all names, which quotes whatever could be taken
 * for another name.
 *
 * @returns undefined when the names cannot be told apart
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
