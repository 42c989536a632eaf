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

/**
 * A text of a server for an output. A terminal gets no control characters apart from line breaks and tabs: names and
 * rejections come from objects and proxies, and could change what the terminal shows.
 */
export function serverText(stdout: Writable, text: string): string {
  return stdout instanceof WriteStream ? text.replaceAll(/[^\P{Cc}\n\t]/gu, '·') : text;
}
