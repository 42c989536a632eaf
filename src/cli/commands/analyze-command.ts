import { WriteStream } from 'node:tty';
import { Command, Option } from 'clipanion';
import type { Report } from '../../analyze/finding.js';
import type { Options } from '../../bootstrap/options.js';
import { flagSource, parseOptions } from '../parse-options.js';
import type { CommandContext, DiscoveryEnvironment } from '../program.js';
import { type AnalyzeFlags, analyzeFlags } from '../settings/analyze-flags.js';
import { readSettings } from '../settings/read-settings.js';
import { ReportedCommand } from './reported-command.js';

/** Exit code if a finding reaches the threshold. Failures of the command itself end with 1, as those of every command. */
const FOUND = 2;
const LEVELS = { info: 'Info', warn: 'Warn', error: 'Error' } as const;

/**
 * `navigator-discovery analyze FILE|DIR|-...` (docs/reference/http.md#analyze-command). Validates and analyzes objects
 * without a server.
 */
export class AnalyzeCommand extends ReportedCommand<CommandContext<DiscoveryEnvironment>> {
  static override paths = [['analyze']];
  static override usage = Command.Usage({
    description:
      'Validates and analyzes objects of files, folders or standard input (-) without a server, for pipelines (an addition of this implementation). Exit codes: 0 no finding reaches --failure-threshold, 2 a finding does, 1 the input cannot be read or the command line is wrong.',
  });

  readonly operands = Option.Rest();

  protected override async perform(): Promise<void> {
    const options = parseOptions(this.context.flags, this.context.env);
    const flags = readSettings(analyzeFlags, flagSource(this.context.flags)).fields;
    if (this.operands.length === 0) throw new Error('analyze needs a file, a folder, or - for standard input');
    const report = await this.analyze(options, flags);
    const { isAtLeast } = await import('../../analyze/finding.js');
    const shown = report.findings.filter(({ level }) => isAtLeast(level, LEVELS[flags.outputThreshold]));
    await this.print({ ...report, findings: shown }, flags);
    if (report.findings.some(({ level }) => isAtLeast(level, LEVELS[flags.failureThreshold]))) this.exitCode = FOUND;
  }

  private async analyze(options: Options, flags: AnalyzeFlags): Promise<Report> {
    const { readInputs } = await import('../../analyze/read-inputs.js');
    const { analyzeInputs } = await import('../../analyze/analyze-inputs.js');
    const { regexLimitsOf, storeSettings } = await import('../../bootstrap/map-options.js');
    const { discovery, environment, explicit } = options;
    const regexLimits = regexLimitsOf(environment);
    return await analyzeInputs(await readInputs(this.operands, this.context.stdin), {
      store: storeSettings(options),
      regexLimits,
      enforcement: {
        isPluginOn: discovery.plugins.includes('policy'),
        isAuthnOff: !discovery.plugins.includes('authn'),
        isAuthzOff: !discovery.plugins.includes('authz'),
        isGatewayScopedToNamespace: environment.navScopeGatewayToNamespace,
        areDelegatesOn: environment.navEnableVirtualServiceDelegate,
        limitedQuotas: undefined,
        regexLimits,
      },
      defaultNamespace: flags.defaultNamespace,
      meshConfigFile: explicit.has('--meshConfig') ? discovery.meshConfigFile : undefined,
      networksConfigFile: explicit.has('--networksConfig') ? discovery.networksConfigFile : undefined,
      isComplete: flags.complete,
    });
  }

  private async print(report: Report, { output, color }: AnalyzeFlags): Promise<void> {
    const { stdout, env } = this.context;
    if (output === 'json') {
      const { renderJson } = await import('../../analyze/render-json.js');
      stdout.write(renderJson(report));
      return;
    }
    const { renderText } = await import('../../analyze/render-text.js');
    const terminal = stdout instanceof WriteStream && env['TERM'] !== 'dumb' ? stdout : undefined;
    const isAutomatic = terminal !== undefined && (env['NO_COLOR'] ?? '') === '';
    const colors = color === 'auto' ? isAutomatic : color === 'always';
    stdout.write(renderText(report, { colors, width: terminal?.columns }));
  }
}
