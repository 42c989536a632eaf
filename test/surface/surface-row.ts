/** One row of a list of the specification. */
export interface SurfaceRow {
  readonly name: string;
  /** The type in the specification's words, of metrics with their labels: `Sum error`. */
  readonly type: string;
  readonly default: string;
  /** Below `test/`; empty for a row without an effect, which `gaps.ts` lists. */
  readonly file: string;
  /** The title of the test, or the part of it that the source has as a text. */
  readonly title: string;
  /** What the test file calls the row, when it does not write its name. */
  readonly mention: string;
}

/** Reads the rows of a list: `name | type | default | file | title | mention`, where `-` and a missing cell are empty. */
export function rowsOf(list: string): readonly SurfaceRow[] {
  return list
    .trim()
    .split('\n')
    .map((line) => {
      const [name = '', type = '', byDefault = '', file = '', title = '', mention = ''] = line
        .split(' | ')
        .map((cell) => (cell.trim() === '-' ? '' : cell.trim()));
      return { name, type, default: byDefault, file, title, mention };
    });
}
