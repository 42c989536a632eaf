/** API servers cut longer ones, and drop what follows after the sum; better we choose where. */
const MAX_WARNING_CHARACTERS = 256;
const MAX_TOTAL_CHARACTERS = 4096;
const ELLIPSIS = '…';

/**
 * Warnings as an API server passes them on: one line each of at most 256 characters, 4,096 together, without control
 * characters, for they travel in HTTP headers. Those that there is no room for are counted in a last line.
 */
export function fitWarnings(warnings: readonly string[]): readonly string[] {
  const fitted = warnings.map(fitLine).filter((line) => line !== '');
  const kept: string[] = [];
  let total = 0;
  for (const [index, line] of fitted.entries()) {
    const leftOff = `${fitted.length - index} more warnings are left off`;
    const room = MAX_TOTAL_CHARACTERS - total - (index === fitted.length - 1 ? 0 : leftOff.length);
    if (line.length > room) return [...kept, leftOff];
    kept.push(line);
    total += line.length;
  }
  return kept;
}

function fitLine(text: string): string {
  const line = text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();
  if (line.length <= MAX_WARNING_CHARACTERS) return line;
  return `${withoutHalfCharacter(line.slice(0, MAX_WARNING_CHARACTERS - ELLIPSIS.length))}${ELLIPSIS}`;
}

function withoutHalfCharacter(text: string): string {
  return text.replace(/[\ud800-\udbff]$/, '');
}
