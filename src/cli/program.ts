import type { BaseContext, CommandClass } from 'clipanion';
import type { CommandContext } from './command-context.js';
import type { CommandHelp } from './help.js';

/** One command of a binary. */
export interface ProgramCommand<Environment extends BaseContext> extends CommandHelp {
  readonly command: CommandClass<CommandContext<Environment>>;
  /** Whether words may follow it. */
  readonly takesOperands: boolean;
}

/** A binary: its name, and its commands by the word that calls them. */
export interface Program<Environment extends BaseContext> {
  readonly name: string;
  readonly label: string;
  readonly commands: ReadonlyMap<string, ProgramCommand<Environment>>;
}
