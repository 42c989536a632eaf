const MAX_SHOWN_CHARACTERS = 4096;

/** Text from a proxy, which may be megabytes, as a log line or a page shows it. */
export function shorten(text: string): string {
  return text.length > MAX_SHOWN_CHARACTERS ? `${text.slice(0, MAX_SHOWN_CHARACTERS)}…` : text;
}
