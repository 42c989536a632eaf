import type { AnyFlag } from './parse-arguments.js';
import type { Variable } from './settings/setting.js';

/** Marks a flag or variable that the specified command line does not have, as docs/configuration.md does. */
const ADDITION_MARK = ' ‡';
const ADDITION_NOTE = '‡ marks what only Navigator has.';
/** Marks a flag or variable with values whose feature is not implemented. */
const UNIMPLEMENTED_NOTE = ' (has no effect yet for some or all values)';

/** The parts of a variable that help shows, for values of any type. */
export type AnyVariable = Pick<
  Variable<never>,
  'name' | 'default' | 'meaning' | 'whenUnset' | 'addition' | 'unimplemented'
> & {
  readonly type: { readonly name: string };
};

/** The help of one command. */
export interface CommandHelp {
  readonly purpose: string;
  /** The usage after the binary's name: `discovery [flags]`. */
  readonly synopsis: string;
  readonly flags: readonly AnyFlag[];
  /** Whether the command is a server, so that all common flags have an effect. Default: false, those of the log have. */
  readonly serves?: boolean;
  /** The variables that the command reads. */
  readonly variables: readonly AnyVariable[];
}

/** The common flags that have an effect on a command. */
export function commonFlagsOf({ serves }: Pick<CommandHelp, 'serves'>, commonFlags: readonly AnyFlag[]) {
  return serves === true ? commonFlags : commonFlags.filter(({ name }) => name.startsWith('log_'));
}

/** Renders `<binary> <command> --help`. */
export function renderCommandHelp(binaryName: string, help: CommandHelp, commonFlags: readonly AnyFlag[]): string {
  const sections = [help.purpose, section('Usage', [`  ${binaryName} ${help.synopsis}`])];
  if (help.flags.length > 0) {
    sections.push(section('Flags', help.flags.map(describeFlag)));
  }
  const common = commonFlagsOf(help, commonFlags);
  sections.push(section('Common flags', common.map(describeFlag)));
  if (help.variables.length > 0) {
    const variables = help.variables.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    sections.push(section('Environment variables', variables.map(describeVariable)));
  }
  const shown: readonly Pick<AnyFlag, 'addition'>[] = [...help.flags, ...common, ...help.variables];
  if (shown.some(({ addition }) => addition)) sections.push(ADDITION_NOTE);
  return `${sections.join('\n\n')}\n`;
}

function section(title: string, lines: readonly string[]): string {
  return [`${title}:`, ...lines].join('\n');
}

function describeFlag(flag: AnyFlag): string {
  const shorthand = flag.shorthand === undefined ? '    ' : `-${flag.shorthand}, `;
  const isList = flag.type.name.startsWith('string') && flag.type.name !== 'string';
  const shown = isList && flag.default !== '' ? `[${flag.default}]` : flag.default;
  return `  ${shorthand}--${flag.name} ${flag.type.name}${defaultNote(shown)}${markOf(flag)}\n        ${flag.meaning}${noteOf(flag)}`;
}

function describeVariable(variable: AnyVariable): string {
  const note = variable.whenUnset === undefined ? '' : `; if not set: ${variable.whenUnset}`;
  return `  ${variable.name} ${variable.type.name}${defaultNote(variable.default)}${markOf(variable)}\n        ${variable.meaning}${note}${noteOf(variable)}`;
}

function markOf({ addition }: Pick<AnyFlag, 'addition'>): string {
  return addition === true ? ADDITION_MARK : '';
}

function noteOf({ unimplemented }: Pick<AnyFlag, 'unimplemented'>): string {
  return unimplemented === undefined ? '' : UNIMPLEMENTED_NOTE;
}

function defaultNote(text: string): string {
  return text === '' ? '' : ` (default ${text})`;
}
