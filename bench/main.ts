import { Builtins, Cli } from 'clipanion';
import { FanOutCommand } from './cli/fan-out-command.js';
import { MeshCommand } from './cli/mesh-command.js';

/** `npm run bench`. Another benchmark is another command here, with a path of its own. */
const cli = new Cli({ binaryLabel: 'navigator-discovery bench', binaryName: 'npm run bench --' });
cli.register(Builtins.HelpCommand);
cli.register(FanOutCommand);
cli.register(MeshCommand);
process.exitCode = await cli.run(process.argv.slice(2), Cli.defaultContext);
