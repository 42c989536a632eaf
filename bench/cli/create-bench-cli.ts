import { type BaseContext, Cli } from 'clipanion';
import { FanOutCommand } from './fan-out-command.js';
import { HelpCommand } from './help-command.js';
import { MeshCommand } from './mesh-command.js';

/** The command line of `npm run bench`. Another benchmark is another command here, with a path of its own. */
export function createBenchCli(enableColors: boolean): Cli<BaseContext> {
  const cli = new Cli({ binaryLabel: 'navigator-discovery bench', binaryName: 'npm run bench --', enableColors });
  cli.register(HelpCommand);
  cli.register(FanOutCommand);
  cli.register(MeshCommand);
  return cli;
}
