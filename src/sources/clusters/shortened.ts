/** What a remote API server says goes into logs and pages, and not more of it than this. */
const MAX_LENGTH = 300;

export function shortened(text: string): string {
  return text.length <= MAX_LENGTH ? text : `${text.slice(0, MAX_LENGTH)}…`;
}
