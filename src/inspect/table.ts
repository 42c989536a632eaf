import type { Paint, Tone } from '../base/paint.js';
import { printable } from '../base/printable.js';

/** A cell: text, and how good the news is that it tells. */
export interface Cell {
  readonly text: string;
  readonly tone?: Tone | undefined;
}
const GAP = '  ';

/** Renders aligned columns with a line of headings. Lines have no spaces at their ends. */
export function renderTable(headings: readonly string[], rows: readonly (readonly Cell[])[], paint: Paint): string {
  const all = [headings.map((text): Cell => ({ text, tone: 'heading' })), ...rows].map((row) =>
    row.map(({ text, ...rest }) => ({ text: printable(text), ...rest })),
  );
  const widths = headings.map((_, column) => Math.max(...all.map((row) => [...(row[column]?.text ?? '')].length)));
  const lines = all.map((row) =>
    row
      .map(({ text, tone }, column) => {
        const isLast = column === row.length - 1;
        return (
          paint(text, ...(tone === undefined ? [] : [tone])) +
          (isLast ? '' : ' '.repeat((widths[column] ?? 0) - [...text].length))
        );
      })
      .join(GAP)
      .trimEnd(),
  );
  return `${lines.join('\n')}\n`;
}
