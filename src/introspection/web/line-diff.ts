/** A line of a comparison. */
export interface DiffLine {
  readonly type: 'same' | 'removed' | 'added' | 'gap';
  readonly text: string;
}

/** Equal lines around a change. */
const CONTEXT_LINES = 3;
/** Beyond this many pairs of lines, all of them count as changed. */
const MAX_PAIRS = 1_000_000;

/** Compares two texts line by line. Equal lines far from changes become a gap. */
export function diffLines(before: string, after: string): readonly DiffLine[] {
  const [first, second] = [before.split('\n'), after.split('\n')];
  let start = 0;
  while (start < Math.min(first.length, second.length) && first[start] === second[start]) start++;
  let end = 0;
  while (end < Math.min(first.length, second.length) - start && first.at(-1 - end) === second.at(-1 - end)) end++;
  const same = (text: string): DiffLine => ({ type: 'same', text });
  const lines = [
    ...first.slice(0, start).map(same),
    ...changedLines(first.slice(start, first.length - end), second.slice(start, second.length - end)),
    ...first.slice(first.length - end).map(same),
  ];
  return withGaps(lines);
}

/** The longest common subsequence decides which lines stay. */
function changedLines(first: readonly string[], second: readonly string[]): DiffLine[] {
  const removed = (text: string): DiffLine => ({ type: 'removed', text });
  const added = (text: string): DiffLine => ({ type: 'added', text });
  if (first.length * second.length > MAX_PAIRS) return [...first.map(removed), ...second.map(added)];
  const width = second.length + 1;
  const lengths = new Uint32Array((first.length + 1) * width);
  for (let row = first.length - 1; row >= 0; row--) {
    for (let column = second.length - 1; column >= 0; column--) {
      const at = row * width + column;
      lengths[at] =
        first[row] === second[column]
          ? (lengths[at + width + 1] ?? 0) + 1
          : Math.max(lengths[at + width] ?? 0, lengths[at + 1] ?? 0);
    }
  }
  const lines: DiffLine[] = [];
  let [row, column] = [0, 0];
  while (row < first.length || column < second.length) {
    const [one = '', other = ''] = [first[row], second[column]];
    const at = row * width + column;
    if (row < first.length && column < second.length && one === other) {
      lines.push({ type: 'same', text: one });
      row++;
      column++;
    } else if (
      column === second.length ||
      (row < first.length && (lengths[at + width] ?? 0) >= (lengths[at + 1] ?? 0))
    ) {
      lines.push(removed(one));
      row++;
    } else {
      lines.push(added(other));
      column++;
    }
  }
  return lines;
}

function withGaps(lines: readonly DiffLine[]): readonly DiffLine[] {
  const near = new Set<number>();
  for (const [index, { type }] of lines.entries()) {
    if (type === 'same') continue;
    for (let at = index - CONTEXT_LINES; at <= index + CONTEXT_LINES; at++) near.add(at);
  }
  const shown: DiffLine[] = [];
  for (const [index, line] of lines.entries()) {
    if (near.has(index)) shown.push(line);
    else if (shown.at(-1)?.type !== 'gap') shown.push({ type: 'gap', text: '…' });
  }
  return shown;
}
