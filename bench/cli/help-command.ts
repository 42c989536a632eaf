import { Command } from 'clipanion';
import { FanOutCommand } from './fan-out-command.js';
import { MeshCommand } from './mesh-command.js';

/** `npm run bench -- --help`: every flag of the commands, not only their names. */
export class HelpCommand extends Command {
  static override paths = [['help'], ['--help'], ['-h']];

  override async execute(): Promise<number> {
    const usages = [FanOutCommand, MeshCommand].map((command) => this.cli.usage(command, { detailed: true }).trim());
    this.context.stdout.write(`${usages.join('\n\n')}\n`);
    return 0;
  }
}
