const MAX_SHOWN = 100;

/** A text of a request in a message: quoted, and cut after 100 characters. */
export function shownText(text: string): string {
  return JSON.stringify(text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text);
}
