import { parseArgs } from 'node:util';
import { errorText } from '../../src/base/error-text.js';
import type { BenchCommand, Flags } from './bench-command.js';
import { UsageError } from './usage-error.js';

/** A command's flags and operands, defaults filled in. */
export interface ParsedFlags {
  /** Undefined when it was not given and has no default. */
  text(name: string): string | undefined;
  isOn(name: string): boolean;
  readonly operands: readonly string[];
}

/** Reads a command's arguments. Throws UsageError for flags that it does not have, and for missing values or operands. */
export function parseFlags(command: BenchCommand, args: readonly string[]): ParsedFlags {
  const options: Record<string, { readonly type: 'string' | 'boolean' }> = {};
  for (const [name, flag] of Object.entries(command.flags)) {
    options[name] = { type: 'placeholder' in flag ? 'string' : 'boolean' };
  }
  const { values, positionals } = readArguments(completeOptional(command.flags, args), options);
  checkOperands(command, positionals);
  return {
    operands: positionals,
    text: (name) => {
      const value = values[name] ?? command.flags[name]?.default;
      return typeof value === 'string' ? value : undefined;
    },
    isOn: (name) => (values[name] ?? command.flags[name]?.default) === true,
  };
}

/** Gives flags whose value is optional an empty one where none follows: Node's parser knows no such flags. */
function completeOptional(flags: Flags, args: readonly string[]): readonly string[] {
  return args.map((arg, index) => {
    const flag = arg.startsWith('--') ? flags[arg.slice(2)] : undefined;
    const isOptional = flag !== undefined && 'placeholder' in flag && flag.isOptional === true;
    return isOptional && (args[index + 1] ?? '-').startsWith('-') ? `${arg}=` : arg;
  });
}

function readArguments(args: readonly string[], options: Record<string, { readonly type: 'string' | 'boolean' }>) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, allowNegative: true, strict: true });
  } catch (error) {
    const message = errorText(error);
    // Leaves out Node's advice about values that start with a dash, because no flag takes such values.
    const [what = ''] = message.split(/\.?(?:\n|\. |$)/);
    throw new UsageError(`${what}.`, { cause: error });
  }
}

function checkOperands(command: BenchCommand, given: readonly string[]): void {
  const surplus = given[command.operands.length];
  if (surplus !== undefined) throw new UsageError(`"${surplus}" is neither a command nor a flag.`);
  const missing = command.operands[given.length];
  if (missing !== undefined) throw new UsageError(`${command.name}: ${missing} is missing.`);
}
