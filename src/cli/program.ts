import type { BaseContext, CommandClass } from 'clipanion';
import type { Options, PolicyOptions } from '../bootstrap/options.js';
import type { CommandHelp } from './help.js';
import type { GivenFlags } from './parse-options.js';

/** The dependencies of the commands of `navigator-discovery`. Tests replace them. */
export interface DiscoveryEnvironment extends BaseContext {
  /** Loads the server. `version` and `request` start without it. */
  loadDiscovery(): Promise<(options: Options) => Promise<void>>;
}

/** The dependencies of the commands of `navigator-policy`. */
export interface PolicyEnvironment extends BaseContext {
  loadPolicy(): Promise<(options: PolicyOptions) => Promise<void>>;
}

/** The context of a clipanion command. */
export type CommandContext<Environment extends BaseContext = BaseContext> = Environment & {
  /** The flags of the command line. Clipanion gets only the command and its operands. */
  readonly flags: GivenFlags;
  /** The binary and the help of its commands, for shell completion. */
  readonly help: { readonly name: string; readonly commands: ReadonlyMap<string, CommandHelp> };
};

/** One command of a binary. */
export interface ProgramCommand<Environment extends BaseContext> extends CommandHelp {
  readonly command: CommandClass<CommandContext<Environment>>;
  /** Whether the command accepts operands. */
  readonly takesOperands: boolean;
}

/** A binary, with its commands by name. */
export interface Program<Environment extends BaseContext> {
  readonly name: string;
  readonly label: string;
  readonly commands: ReadonlyMap<string, ProgramCommand<Environment>>;
}
