import type { PolicyEnvironment } from './command-context.js';
import { ServeCommand } from './commands/serve-command.js';
import { VersionCommand } from './commands/version-command.js';
import { policyVariables } from './parse-policy-options.js';
import type { Program } from './program.js';
import { policyFlags } from './settings/policy-flags.js';
import { versionFlags } from './settings/version-flags.js';

/** The second binary: a policy server of its own process, for replicas. */
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
