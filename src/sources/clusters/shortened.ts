/** Limits the length of a remote API server's text in logs and pages. */
const MAX_LENGTH = 300;

export function shortened(text: string): string {
  return text.length <= MAX_LENGTH ? text : `${text.slice(0, MAX_LENGTH)}…`;
}
