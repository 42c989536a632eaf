/** Tells a person at a terminal what happens, in at most 100 columns; colours only where they show. */
export interface Narrator {
  title(text: string): void;
  /** Begins a numbered step. */
  step(text: string): void;
  /** Something that was done, and how it went. */
  done(text: string): void;
  /** Background to what happens. */
  say(text: string): void;
  /** Rows of cells in columns; the first row is the head. */
  table(rows: readonly (readonly string[])[]): void;
  /** The lines of a file's change: `-` and `+` in front. */
  change(removed: string, added: string): void;
  end(text: string): void;
}

/** @param colours whether the terminal shows ANSI colours. */
export function createNarrator(write: (text: string) => void, colours: boolean): Narrator {
  const paint = (code: number) => (text: string) => (colours ? `\u001B[${code}m${text}\u001B[0m` : text);
  const [bold, dim, red, green, cyan] = [paint(1), paint(2), paint(31), paint(32), paint(36)] as const;
  const line = (text = ''): void => write(`${text}\n`);
  let steps = 0;

  return {
    title: (text) => {
      line();
      line(bold(text));
    },
    step: (text) => {
      line();
      line(`${cyan(bold(String(++steps)))}  ${bold(text)}`);
    },
    done: (text) => line(`   ${green('✔')} ${text}`),
    say: (text) => line(`   ${dim(text)}`),
    table: (rows) => {
      const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
      rows.forEach((row, index) => {
        const text = row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ');
        line(`     ${index === 0 ? dim(text.trimEnd()) : text.trimEnd()}`);
      });
    },
    change: (removed, added) => {
      line(`     ${red(`- ${removed}`)}`);
      line(`     ${green(`+ ${added}`)}`);
    },
    end: (text) => {
      line();
      line(text);
      line();
    },
  };
}
