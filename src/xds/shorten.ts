const MAX_SHOWN_CHARACTERS = 4096;

/**
 * Shortens a text from a proxy, which may have megabytes, for a log line or a page. The result is a copy, because a
 * slice would keep the whole text in memory.
 *
 * @param maxCharacters 4096 by default
 */
export function shorten(text: string, maxCharacters = MAX_SHOWN_CHARACTERS): string {
  return text.length > maxCharacters ? Buffer.from(`${text.slice(0, maxCharacters)}…`).toString() : text;
}
