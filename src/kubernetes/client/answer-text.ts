/** What an API server says goes into logs, and a remote one may say anything. */
const MAX_LENGTH = 1024;

/** The begin of a text of an API server's answer; empty for what is no text. */
export function answerText(value: unknown): string {
  if (typeof value !== 'string') return '';
  return value.length <= MAX_LENGTH ? value : `${value.slice(0, MAX_LENGTH)}…`;
}
