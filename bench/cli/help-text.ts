import type { BenchCommand, Flags } from './bench-command.js';

const PROGRAM = 'npm run bench --';

/** The help of all commands with every flag and its default. */
export function formatHelp(commands: readonly BenchCommand[]): string {
  return `${commands.map(formatCommand).join('\n')}`;
}

function formatCommand(command: BenchCommand): string {
  const words = [PROGRAM, command.name, '[flags]', ...command.operands].filter((word) => word !== '');
  const details = command.details === '' ? [] : ['', ...command.details.split('\n').map((line) => `  ${line}`)];
  return [words.join(' '), `  ${command.summary}`, ...details, '', ...formatFlags(command.flags), ''].join('\n');
}

function formatFlags(flags: Flags): readonly string[] {
  const rows = Object.entries(flags).map(([name, flag]): readonly [string, string] => {
    if ('placeholder' in flag) {
      const fallback = flag.default === undefined ? '' : ` (default ${flag.default})`;
      return [`--${name} ${flag.placeholder}`, `${flag.description}${fallback}`];
    }
    return [flag.default ? `--no-${name}` : `--${name}`, flag.description];
  });
  const width = Math.max(...rows.map(([flag]) => flag.length));
  return rows.map(([flag, description]) => `  ${flag.padEnd(width)}  ${description}`);
}
