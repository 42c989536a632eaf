/** One document of a YAML or JSON text. */
export interface YamlText {
  /** Position among the documents that are not empty, from 1. */
  readonly index: number;
  /** Line of the whole text at which the document starts, from 1. */
  readonly line: number;
  readonly text: string;
}

/**
 * Splits a text at its document markers, so that each document can be parsed, reported and cached separately. A line that
 * starts with `---` or `...` is always a marker: YAML does not allow it in a scalar.
 */
export function splitDocuments(text: string): readonly YamlText[] {
  const documents: YamlText[] = [];
  const marker = /^(---|\.\.\.)(?=[ \t\r\n]|$)/gm;
  const firstLine = text.startsWith('\uFEFF') ? 1 : 0;
  let start = firstLine;
  let line = 1;
  const close = (end: number): void => {
    const part = text.slice(start, end);
    if (!isEmpty(part)) documents.push({ index: documents.length + 1, line, text: part });
    line += countLines(part);
    start = end;
  };
  for (let match = marker.exec(text); match !== null; match = marker.exec(text)) {
    const isPrelude = match[1] === '---' && isDirectives(text.slice(start, match.index));
    if (!isPrelude) close(match.index);
    if (match[1] === '...') close(endOfLine(text, match.index));
  }
  close(text.length);
  return documents;
}

function isEmpty(part: string): boolean {
  return !hasLine(part.replace(/^(?:---|\.\.\.)(?=\s|$)/, ''), (line) => line !== '' && !line.startsWith('#'));
}

/** Directives (`%YAML 1.2`) belong to the document that follows their marker. */
function isDirectives(part: string): boolean {
  return part.includes('%') && !hasLine(part, (line) => line !== '' && !line.startsWith('#') && !line.startsWith('%'));
}

function hasLine(part: string, wanted: (line: string) => boolean): boolean {
  for (let start = 0; start < part.length; ) {
    const end = endOfLine(part, start);
    if (wanted(part.slice(start, end).trim())) return true;
    start = end;
  }
  return false;
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end === -1 ? text.length : end + 1;
}

function countLines(part: string): number {
  let lines = 0;
  for (let at = part.indexOf('\n'); at !== -1; at = part.indexOf('\n', at + 1)) lines++;
  return lines;
}
