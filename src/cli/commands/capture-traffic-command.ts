import { Command } from 'clipanion';
import { flagSource, parseCommonFlags } from '../parse-options.js';
import type { CommandContext, DiscoveryEnvironment } from '../program.js';
import { captureFlags } from '../settings/capture-flags.js';
import { readSettings } from '../settings/read-settings.js';
import { ReportedCommand } from './reported-command.js';

/** `/run` may be read-only. `/dev/shm` is always a writable file system in memory. */
const LOCK_FILE = '/dev/shm/xtables.lock';
const DEFAULT_PATH = '/usr/sbin:/usr/bin:/sbin:/bin';

/** `navigator-discovery capture-traffic [flags]`. The init container of an injected pod runs it. */
export class CaptureTrafficCommand extends ReportedCommand<CommandContext<DiscoveryEnvironment>> {
  static override paths = [['capture-traffic']];
  static override usage = Command.Usage({
    description: 'Redirects the TCP traffic of this network namespace to the proxy.',
  });

  protected override async perform(): Promise<void> {
    parseCommonFlags(this.context.flags);
    const { dryRun, interceptionMode, files, ...traffic } = readSettings(
      captureFlags,
      flagSource(this.context.flags),
    ).fields;
    const report = (line: string): void => void this.context.stdout.write(`${line}\n`);
    if (dryRun) {
      const { captureRules } = await import('../../capture/capture-rules.js');
      for (const family of ['ipv4', 'ipv6'] as const) report(`# ${family}\n${captureRules(family, traffic).trimEnd()}`);
      return;
    }
    const { writeFiles } = await import('../../capture/write-files.js');
    await writeFiles(files);
    for (const { path } of files) report(`wrote ${path}`);
    if (interceptionMode === 'NONE') return report('no rules are set, because the interception mode is NONE');
    const { captureTraffic } = await import('../../capture/capture-traffic.js');
    const { createProgramRunner } = await import('../../capture/run-program.js');
    const { readIpv6State } = await import('../../capture/ipv6-state.js');
    const PATH = this.context.env['PATH'] ?? DEFAULT_PATH;
    const run = createProgramRunner({ PATH, XTABLES_LOCKFILE: LOCK_FILE });
    await captureTraffic(traffic, { run, ipv6: await readIpv6State(), report });
  }
}
