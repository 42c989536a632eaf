const MAX_SHOWN_CHARACTERS = 4096;

/**
 * Text from a proxy, which may be megabytes, as a log line or a page shows it. What is returned is a copy: a part of a
 * text would keep the whole text in memory.
 *
 * @param maxCharacters 4096 unless given
 */
export function shorten(text: string, maxCharacters = MAX_SHOWN_CHARACTERS): string {
  return text.length > maxCharacters ? Buffer.from(`${text.slice(0, maxCharacters)}…`).toString() : text;
}
