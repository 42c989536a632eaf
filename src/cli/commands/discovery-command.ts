import { Command } from 'clipanion';
import { parseOptions } from '../parse-options.js';
import type { CommandContext, DiscoveryEnvironment } from '../program.js';
import { ReportedCommand, useSourceMaps } from './reported-command.js';

/** `navigator-discovery discovery [flags]` (docs/reference/http.md#commands). Runs until the server has stopped. */
export class DiscoveryCommand extends ReportedCommand<CommandContext<DiscoveryEnvironment>> {
  static override paths = [['discovery']];
  static override usage = Command.Usage({
    description:
      'Starts the control plane: discovery for proxies, certificate authority, webhooks and embedded policy server.',
  });

  protected override async perform(): Promise<void> {
    const options = parseOptions(this.context.flags, this.context.env);
    if (options.common.logCaller.length > 0) useSourceMaps();
    const startDiscovery = await this.context.loadDiscovery();
    await startDiscovery(options);
  }
}
