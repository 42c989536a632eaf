/** A text as a part of a regular expression, in RE2 and in JavaScript, that matches this text alone. */
export function escapeRegex(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
