import type { Writable } from 'node:stream';
import { WriteStream } from 'node:tty';

export type ColorChoice = 'auto' | 'always' | 'never';

/** How text is written to an output. */
export interface OutputStyle {
  readonly colors: boolean;
  /** Columns of the terminal; undefined if the output is no terminal. */
  readonly width: number | undefined;
}

/** `auto` uses colours on a terminal, unless NO_COLOR is set or the terminal is `dumb`. */
export function outputStyle(
  stdout: Writable,
  variables: Readonly<Record<string, string | undefined>>,
  color: ColorChoice,
): OutputStyle {
  const terminal = stdout instanceof WriteStream && variables['TERM'] !== 'dumb' ? stdout : undefined;
  const isAutomatic = terminal !== undefined && (variables['NO_COLOR'] ?? '') === '';
  return { colors: color === 'auto' ? isAutomatic : color === 'always', width: terminal?.columns };
}
