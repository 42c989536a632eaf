/** Length limit of texts for logs: a remote API server can answer with any text. */
const MAX_LENGTH = 1024;

/** The start of a text in an API server's answer; empty when the value is not a text. */
export function answerText(value: unknown): string {
  if (typeof value !== 'string') return '';
  return value.length <= MAX_LENGTH ? value : `${value.slice(0, MAX_LENGTH)}…`;
}
