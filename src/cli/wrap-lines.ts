/** Lines are no longer than this, however wide the terminal is. */
const MAX_WIDTH = 120;

/**
 * Breaks the lines of a text between words. What follows a break has the indentation of the line, so that the columns of
 * help stay visible.
 *
 * @param width columns of the terminal; undefined leaves the text as it is
 */
export function wrapLines(text: string, width: number | undefined): string {
  if (width === undefined) return text;
  return text
    .split('\n')
    .map((line) => wrapLine(line, Math.min(width, MAX_WIDTH)))
    .join('\n');
}

function wrapLine(line: string, width: number): string {
  if (line.length <= width) return line;
  const indentation = /^ */.exec(line)?.[0] ?? '';
  const lines: string[] = [];
  let current = indentation;
  for (const word of line.trim().split(' ')) {
    const isFirst = current.length === indentation.length;
    if (!isFirst && current.length + 1 + word.length > width) {
      lines.push(current);
      current = indentation + word;
    } else current += isFirst ? word : ` ${word}`;
  }
  return [...lines, current].join('\n');
}
