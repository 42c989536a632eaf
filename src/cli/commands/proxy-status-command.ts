import { Command, Option } from 'clipanion';
import { createPaint } from '../../base/paint.js';
import { jsonText } from '../../base/printable.js';
import { flagSource, parseCommonFlags } from '../parse-options.js';
import type { CommandContext, DiscoveryEnvironment } from '../program.js';
import { serverPlace } from '../server-place.js';
import { outputFlags } from '../settings/output-flags.js';
import { readSettings } from '../settings/read-settings.js';
import { serverFlags } from '../settings/server-flags.js';
import { outputStyle } from '../text-output.js';
import { FOUND, ReportedCommand } from './reported-command.js';

/** `navigator-discovery proxy-status [<proxy>]` (docs/commands.md). */
export class ProxyStatusCommand extends ReportedCommand<CommandContext<DiscoveryEnvironment>> {
  static override paths = [['proxy-status']];
  static override usage = Command.Usage({
    description:
      'Shows which proxies are connected, and whether they run the configuration that was sent to them; with a part of the id of a proxy, everything about it. Exit codes: 0 no proxy rejects its configuration, 2 a proxy does, 1 the servers cannot be asked or the command line is wrong.',
  });

  readonly operands = Option.Rest();

  protected override async perform(): Promise<void> {
    const source = flagSource(this.context.flags);
    parseCommonFlags(this.context.flags);
    const { output, color } = readSettings(outputFlags, source).fields;
    const place = serverPlace(readSettings(serverFlags, source).fields, this.context.env);
    const [wanted, ...surplus] = this.operands;
    if (surplus.length > 0)
      throw new Error('proxy-status takes at most one proxy: a part of its id, such as web-1.shop');

    const { openServers } = await import('../../inspect/open-servers.js');
    const { readProxyRows } = await import('../../inspect/proxies/proxy-rows.js');
    const { renderProxies, renderProxy } = await import('../../inspect/proxies/render-proxies.js');
    const opened = await openServers(place);
    try {
      const all = await readProxyRows(opened.servers);
      const rows = wanted === undefined ? all : all.filter(({ proxy }) => proxy.includes(wanted));
      if (wanted !== undefined && rows.length === 0) {
        const names = opened.servers.map(({ name }) => name).join(', ');
        throw new Error(
          `no proxy whose id contains ${JSON.stringify(wanted)} is connected to ${names}; proxy-status lists all`,
        );
      }
      const paint = createPaint(outputStyle(this.context.stdout, this.context.env, color).colors);
      const text = () =>
        wanted === undefined
          ? renderProxies(rows, opened.servers.length, paint)
          : rows.map((row) => renderProxy(row, new Date(), paint)).join('\n');
      this.context.stdout.write(output === 'json' ? jsonText(rows) : text());
      if (rows.some(({ state }) => state === 'REJECTED')) this.exitCode = FOUND;
    } finally {
      opened.close();
    }
  }
}
