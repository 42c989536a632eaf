/**
 * JSON of one value for an output, indented by two spaces. `JSON.stringify` leaves DEL and C1 as they are, which some
 * terminals obey; here they are escaped too.
 */
export function jsonText(value: unknown): string {
  const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return `${JSON.stringify(value, undefined, 2).replaceAll(/[\u007f-\u009f]/g, escaped)}\n`;
}

/** Without control characters, which could change what a terminal shows. Texts come from objects, proxies and servers. */
export function printable(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, '·');
}
