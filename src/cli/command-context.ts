import type { BaseContext } from 'clipanion';
import type { Options } from '../bootstrap/options.js';
import type { GivenFlags } from './parse-options.js';

/** What commands get from outside, so that tests can replace it. */
export interface CommandEnvironment extends BaseContext {
  /** Loads the server only when it is wanted: `version` and `request` start without it. */
  loadDiscovery(): Promise<(options: Options) => Promise<void>>;
  /** Where `request` sends to. */
  readonly monitoring: { readonly host: string; readonly port: number };
}

/** The context of a clipanion command. */
export interface CommandContext extends CommandEnvironment {
  /** The flags of the command line; clipanion sees only command and operands. */
  readonly flags: GivenFlags;
}
