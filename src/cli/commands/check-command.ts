import { Command } from 'clipanion';
import { createPaint } from '../../base/paint.js';
import { jsonText } from '../../base/printable.js';
import { flagSource, parseOptions } from '../parse-options.js';
import type { CommandContext, DiscoveryEnvironment } from '../program.js';
import { serverPlace } from '../server-place.js';
import { outputFlags } from '../settings/output-flags.js';
import { readSettings } from '../settings/read-settings.js';
import { serverFlags } from '../settings/server-flags.js';
import { outputStyle } from '../text-output.js';
import { FOUND, ReportedCommand } from './reported-command.js';

/** `navigator-discovery check` (docs/commands.md). */
export class CheckCommand extends ReportedCommand<CommandContext<DiscoveryEnvironment>> {
  static override paths = [['check']];
  static override usage = Command.Usage({
    description:
      'Checks an installation: readiness, clocks, certificates, quota storage, rejected configuration and versions of Envoys; with a cluster also its kinds, the rights of the control plane and the webhooks. Exit codes: 0 no error, 2 an error, 1 nothing can be checked or the command line is wrong.',
  });

  protected override async perform(): Promise<void> {
    const { environment } = parseOptions(this.context.flags, this.context.env);
    const source = flagSource(this.context.flags);
    const { output, color } = readSettings(outputFlags, source).fields;
    const place = serverPlace(readSettings(serverFlags, source).fields, this.context.env);
    const { runChecks } = await import('../../inspect/check/run-checks.js');
    const { renderChecks } = await import('../../inspect/check/render-checks.js');
    const results = await runChecks(place, {
      meshDomain: environment.meshDomain,
      webhooks: {
        validating: environment.validationWebhookConfigName,
        mutating: environment.injectionWebhookConfigName,
      },
    });
    const { stdout, env } = this.context;
    const paint = createPaint(outputStyle(stdout, env, color).colors);
    stdout.write(output === 'json' ? jsonText(results) : renderChecks(results, paint));
    if (results.some(({ level }) => level === 'error')) this.exitCode = FOUND;
  }
}
