import type { ParsedFlags } from './parsed-flags.js';

interface TextFlag {
  /** Stands for the value in the help, for example `N`. */
  readonly placeholder: string;
  readonly description: string;
  readonly default?: string;
  /** Without a value the flag stands for an empty text. */
  readonly isOptional?: true;
}

interface SwitchFlag {
  /** Effect of the switch; for a switch that is on by default, the effect of `--no-<name>`. */
  readonly description: string;
  readonly default: boolean;
}

/** Flags by name, without the dashes. A switch that is on by default is turned off by `--no-<name>`. */
export type Flags = Readonly<Record<string, TextFlag | SwitchFlag>>;

/** Where a command writes. */
export interface CommandOutput {
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
}

/** One benchmark, or something that belongs to one: `npm run bench -- <name> …`. */
export interface BenchCommand {
  /** Empty for the command that runs when none is named. */
  readonly name: string;
  readonly summary: string;
  /** More than the summary; empty when there is nothing to add. */
  readonly details: string;
  /** Names of the arguments after the flags, all required. */
  readonly operands: readonly string[];
  readonly flags: Flags;
  /** Gives the exit code. Throws UsageError for bad values and BenchError for failures that need no stack trace. */
  run(flags: ParsedFlags, output: CommandOutput): Promise<number>;
}
