/** The request line of an HTTP/1.1 request. */
export interface RequestLine {
  readonly method: string;
  /** As it was sent: a path with its query, an absolute URL, `*` or an authority. */
  readonly target: string;
}

const VERSION = ' HTTP/1.1';
const SPACE = 0x20;
const TAB = 0x09;

/**
 * Reads the head of an HTTP/1.1 request (RFC 9112), whose lines end with CRLF. Envoys send names in lower case, and each
 * name once.
 *
 * @param text without the empty line at its end
 * @param header gets each header in its order; the value is without spaces around it
 * @param maxHeaders more of them are not read, because a short head can have very many
 * @returns undefined for a text that is no head, or has too many headers
 */
export function readRequestHead(
  text: string,
  maxHeaders: number,
  header: (name: string, value: string) => void,
): RequestLine | undefined {
  const lineEnd = endOfLine(text, 0);
  const methodEnd = text.indexOf(' ');
  const versionAt = lineEnd - VERSION.length;
  if (methodEnd < 1 || methodEnd >= versionAt || !text.startsWith(VERSION, versionAt)) return undefined;
  let headers = 0;
  for (let at = lineEnd + 2; at < text.length; ) {
    if (++headers > maxHeaders) return undefined;
    const end = endOfLine(text, at);
    const colon = text.indexOf(':', at);
    // A line that begins with a space continues the one before, which Envoys do not send.
    if (colon <= at || colon >= end || isSpace(text.charCodeAt(at)) || isSpace(text.charCodeAt(colon - 1))) {
      return undefined;
    }
    header(text.slice(at, colon), trimmed(text, colon + 1, end));
    at = end + 2;
  }
  return { method: text.slice(0, methodEnd), target: text.slice(methodEnd + 1, versionAt) };
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\r\n', from);
  return end < 0 ? text.length : end;
}

function trimmed(text: string, from: number, to: number): string {
  let start = from;
  let end = to;
  while (start < end && isSpace(text.charCodeAt(start))) start++;
  while (end > start && isSpace(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

function isSpace(code: number): boolean {
  return code === SPACE || code === TAB;
}
