import { Command, Option } from 'clipanion';
import type { Report } from '../../analyze/finding.js';
import type { InputText } from '../../analyze/read-inputs.js';
import type { Options } from '../../bootstrap/options.js';
import { flagSource, parseOptions } from '../parse-options.js';
import type { CommandContext, DiscoveryEnvironment } from '../program.js';
import { clusterOptions, namesCluster } from '../server-place.js';
import { type AnalyzeFlags, analyzeFlags } from '../settings/analyze-flags.js';
import { readSettings } from '../settings/read-settings.js';
import { outputStyle } from '../text-output.js';
import { FOUND, ReportedCommand } from './reported-command.js';

const LEVELS = { info: 'Info', warn: 'Warn', error: 'Error' } as const;

/**
 * `navigator-discovery analyze FILE|DIR|-...` (docs/reference/http.md#analyze-command). Validates and analyzes objects
 * without a server.
 */
export class AnalyzeCommand extends ReportedCommand<CommandContext<DiscoveryEnvironment>> {
  static override paths = [['analyze']];
  static override usage = Command.Usage({
    description:
      'Validates and analyzes objects of files, folders or standard input (-), of a running server or of a cluster. Exit codes: 0 no finding reaches --failure-threshold, 2 a finding does, 1 the input cannot be read or the command line is wrong.',
  });

  readonly operands = Option.Rest();

  protected override async perform(): Promise<void> {
    const options = parseOptions(this.context.flags, this.context.env);
    const flags = readSettings(analyzeFlags, flagSource(this.context.flags)).fields;
    const isServed = namesCluster(flags) || flags.address !== '';
    if (this.operands.length === 0 && !isServed) {
      throw new Error('analyze needs a file, a folder, - for standard input, --address or --cluster');
    }
    if (this.operands.length > 0 && isServed) {
      throw new Error(
        'analyze takes either files, or a server or cluster (--address, --cluster, --kubeconfig, --context)',
      );
    }
    const report = await this.analyze(options, flags);
    const { isAtLeast } = await import('../../analyze/finding.js');
    const shown = report.findings.filter(({ level }) => isAtLeast(level, LEVELS[flags.outputThreshold]));
    await this.print({ ...report, findings: shown }, flags);
    if (report.findings.some(({ level }) => isAtLeast(level, LEVELS[flags.failureThreshold]))) this.exitCode = FOUND;
  }

  private async analyze(options: Options, flags: AnalyzeFlags): Promise<Report> {
    const { readInputs } = await import('../../analyze/read-inputs.js');
    const { analyzeInputs } = await import('../../analyze/analyze-inputs.js');
    const { storeSettings } = await import('../../bootstrap/map-options.js');
    const { enforcementSettings } = await import('../../bootstrap/read-enforcement.js');
    const { discovery, environment, explicit } = options;
    const settings = enforcementSettings(options);
    const served = await this.readServed(flags, environment.meshDomain);
    return await analyzeInputs(served?.inputs ?? (await readInputs(this.operands, this.context.stdin)), {
      store: storeSettings(options),
      regexLimits: settings.regexLimits,
      enforcement: {
        ...settings,
        limitedQuotas: undefined,
        knowsLimits: false,
      },
      defaultNamespace: flags.defaultNamespace,
      meshConfigFile: explicit.has('--meshConfig') ? discovery.meshConfigFile : undefined,
      networksConfigFile: explicit.has('--networksConfig') ? discovery.networksConfigFile : undefined,
      isComplete: flags.complete || served !== undefined,
      ...(served === undefined ? {} : { from: served.name }),
    });
  }

  /** The objects of the server or cluster that the flags name; undefined if they name none. */
  private async readServed(
    flags: AnalyzeFlags,
    meshDomain: string,
  ): Promise<{ name: string; inputs: readonly InputText[] } | undefined> {
    if (flags.address !== '') {
      const { openServers } = await import('../../inspect/open-servers.js');
      const { readServedObjects } = await import('../../inspect/served-objects.js');
      const { servers, close } = await openServers({ type: 'address', address: flags.address });
      const inputs = await Promise.all(servers.map(readServedObjects)).finally(close);
      return { name: flags.address, inputs };
    }
    if (!namesCluster(flags)) return undefined;
    const { openCluster } = await import('../../inspect/open-servers.js');
    const { createApiClient } = await import('../../kubernetes/client/api-client.js');
    const { readCluster } = await import('../../analyze/read-cluster.js');
    const { createKindRegistry } = await import('../../config/kinds.js');
    const access = await openCluster(clusterOptions(flags, this.context.env));
    const api = createApiClient(access, 'navigator-discovery');
    const inputs = await readCluster(api, createKindRegistry(meshDomain), access.server).finally(access.close);
    return { name: access.server, inputs };
  }

  private async print(report: Report, { output, color }: AnalyzeFlags): Promise<void> {
    const { stdout, env } = this.context;
    if (output === 'json') {
      const { renderJson } = await import('../../analyze/render-json.js');
      stdout.write(renderJson(report));
      return;
    }
    if (output === 'sarif') {
      const { renderSarif } = await import('../../analyze/render-sarif.js');
      const { readBuildInfo } = await import('../../telemetry/build-info.js');
      stdout.write(renderSarif(report, readBuildInfo().version));
      return;
    }
    const { renderText } = await import('../../analyze/render-text.js');
    stdout.write(renderText(report, outputStyle(stdout, env, color)));
  }
}
