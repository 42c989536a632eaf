import { Command } from 'clipanion';
import type { CommandContext, DiscoveryEnvironment } from '../command-context.js';
import { parseOptions } from '../parse-options.js';
import { useSourceMaps } from '../use-source-maps.js';
import { ReportedCommand } from './reported-command.js';

/** `navigator-discovery discovery [flags]` (SPEC 4.3, 4.4): runs until the server has stopped gracefully. */
export class DiscoveryCommand extends ReportedCommand<CommandContext<DiscoveryEnvironment>> {
  static override paths = [['discovery']];
  static override usage = Command.Usage({ description: 'Starts the proxy discovery service.' });

  protected override async perform(): Promise<void> {
    const options = parseOptions(this.context.flags, this.context.env);
    if (options.common.logCaller.length > 0) useSourceMaps();
    const startDiscovery = await this.context.loadDiscovery();
    await startDiscovery(options);
  }
}
