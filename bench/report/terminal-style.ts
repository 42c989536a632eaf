/** Colours for people at a terminal; plain text everywhere else. */
export interface TerminalStyle {
  bold(text: string): string;
  dim(text: string): string;
  good(text: string): string;
  bad(text: string): string;
}

/** Style for an output: colours when it is a terminal and NO_COLOR is not set. */
export function createTerminalStyle(isTerminal: boolean, env: NodeJS.ProcessEnv): TerminalStyle {
  const colours = isTerminal && env['NO_COLOR'] === undefined && env['TERM'] !== 'dumb';
  const paint = (code: number) => (text: string) => (colours ? `\u001B[${code}m${text}\u001B[0m` : text);
  return { bold: paint(1), dim: paint(2), good: paint(32), bad: paint(33) };
}
