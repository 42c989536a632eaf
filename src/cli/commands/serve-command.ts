import { Command } from 'clipanion';
import type { CommandContext, PolicyEnvironment } from '../command-context.js';
import { parsePolicyOptions } from '../parse-policy-options.js';
import { useSourceMaps } from '../use-source-maps.js';
import { ReportedCommand } from './reported-command.js';

/** `navigator-policy serve [flags]`: runs until the server has stopped gracefully. */
export class ServeCommand extends ReportedCommand<CommandContext<PolicyEnvironment>> {
  static override paths = [['serve']];
  static override usage = Command.Usage({
    description: 'Answers policy checks and takes reports of proxies, with the policies of a discovery server.',
  });

  protected override async perform(): Promise<void> {
    const options = parsePolicyOptions(this.context.flags, this.context.env);
    if (options.common.logCaller.length > 0) useSourceMaps();
    const startPolicy = await this.context.loadPolicy();
    await startPolicy(options);
  }
}
