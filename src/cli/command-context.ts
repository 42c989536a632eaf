import type { BaseContext } from 'clipanion';
import type { Options, PolicyOptions } from '../bootstrap/options.js';
import type { GivenFlags } from './parse-options.js';

/** What the commands of `navigator-discovery` get from outside, so that tests can replace it. */
export interface DiscoveryEnvironment extends BaseContext {
  /** Loads the server only when it is wanted: `version` and `request` start without it. */
  loadDiscovery(): Promise<(options: Options) => Promise<void>>;
}

/** The same for `navigator-policy`. */
export interface PolicyEnvironment extends BaseContext {
  loadPolicy(): Promise<(options: PolicyOptions) => Promise<void>>;
}

/** The context of a clipanion command. */
export type CommandContext<Environment extends BaseContext = BaseContext> = Environment & {
  /** The flags of the command line; clipanion sees only command and operands. */
  readonly flags: GivenFlags;
};
