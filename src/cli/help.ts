import type { AnyFlag } from './parse-arguments.js';
import type { Variable } from './settings/setting.js';

/** Follows the meaning of a flag or variable that the specified command line does not have. */
const ADDITION_NOTE = ' (an addition of this implementation)';

/** What help shows of a variable, whatever the type of its value. */
export type AnyVariable = Pick<Variable<never>, 'name' | 'default' | 'meaning' | 'whenUnset' | 'addition'> & {
  readonly type: { readonly name: string };
};

/** What help shows of one command. */
export interface CommandHelp {
  readonly purpose: string;
  /** After the binary's name: `discovery [flags]`. */
  readonly synopsis: string;
  readonly flags: readonly AnyFlag[];
  /** Those that it reads. */
  readonly variables: readonly AnyVariable[];
}

/** Text of `<binary> <command> --help`. */
export function renderCommandHelp(binaryName: string, help: CommandHelp, commonFlags: readonly AnyFlag[]): string {
  const sections = [help.purpose, section('Usage', [`  ${binaryName} ${help.synopsis}`])];
  if (help.flags.length > 0) {
    sections.push(section('Flags', help.flags.map(describeFlag)));
  }
  sections.push(section('Common flags', commonFlags.map(describeFlag)));
  if (help.variables.length > 0) {
    const variables = help.variables.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    sections.push(section('Environment variables', variables.map(describeVariable)));
  }
  return `${sections.join('\n\n')}\n`;
}

function section(title: string, lines: readonly string[]): string {
  return [`${title}:`, ...lines].join('\n');
}

function describeFlag(flag: AnyFlag): string {
  const shorthand = flag.shorthand === undefined ? '    ' : `-${flag.shorthand}, `;
  const isList = flag.type.name.startsWith('string') && flag.type.name !== 'string';
  const shown = isList && flag.default !== '' ? `[${flag.default}]` : flag.default;
  return `  ${shorthand}--${flag.name} ${flag.type.name}${defaultNote(shown)}\n        ${flag.meaning}${flag.addition === true ? ADDITION_NOTE : ''}`;
}

function describeVariable(variable: AnyVariable): string {
  const note = variable.whenUnset === undefined ? '' : `; when not set: ${variable.whenUnset}`;
  return `  ${variable.name} ${variable.type.name}${defaultNote(variable.default)}\n        ${variable.meaning}${note}${variable.addition === true ? ADDITION_NOTE : ''}`;
}

function defaultNote(text: string): string {
  return text === '' ? '' : ` (default ${text})`;
}
