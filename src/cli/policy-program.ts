import { Command } from 'clipanion';
import { ReportedCommand, useSourceMaps } from './commands/reported-command.js';
import { VersionCommand, versionFlags } from './commands/version-command.js';
import { parsePolicyOptions, policyVariables } from './parse-policy-options.js';
import type { CommandContext, PolicyEnvironment, Program } from './program.js';
import { policyFlags } from './settings/policy-flags.js';

/** `navigator-policy serve [flags]`. Runs until the server has stopped. */
class ServeCommand extends ReportedCommand<CommandContext<PolicyEnvironment>> {
  static override paths = [['serve']];
  static override usage = Command.Usage({
    description:
      'Starts a policy server, which answers checks of proxies and receives their reports. A discovery server sends it the policies.',
  });

  protected override async perform(): Promise<void> {
    const options = parsePolicyOptions(this.context.flags, this.context.env);
    if (options.common.logCaller.length > 0) useSourceMaps();
    const startPolicy = await this.context.loadPolicy();
    await startPolicy(options);
  }
}

/** The binary `navigator-policy`: a policy server in a process of its own, so that it can have several replicas. */
export const policyProgram: Program<PolicyEnvironment> = {
  name: 'navigator-policy',
  label: 'Navigator: policy checks and quotas',
  commands: new Map([
    [
      'serve',
      {
        command: ServeCommand,
        purpose: ServeCommand.usage.description ?? '',
        synopsis: 'serve [flags]',
        serves: true,
        flags: Object.values(policyFlags),
        variables: Object.values(policyVariables),
        takesOperands: false,
      },
    ],
    [
      'version',
      {
        command: VersionCommand<PolicyEnvironment>,
        purpose: VersionCommand.usage.description ?? '',
        synopsis: 'version [flags]',
        flags: Object.values(versionFlags),
        variables: [],
        takesOperands: false,
      },
    ],
  ]),
};
