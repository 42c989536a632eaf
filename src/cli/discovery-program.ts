import { AnalyzeCommand } from './commands/analyze-command.js';
import { CaptureTrafficCommand } from './commands/capture-traffic-command.js';
import { CheckCommand } from './commands/check-command.js';
import { CompletionCommand } from './commands/completion-command.js';
import { DiscoveryCommand } from './commands/discovery-command.js';
import { GrpcAgentCommand } from './commands/grpc-agent-command.js';
import { GrpcBootstrapCommand } from './commands/grpc-bootstrap-command.js';
import { PolicyCommand } from './commands/policy-command.js';
import { ProxyStatusCommand } from './commands/proxy-status-command.js';
import { RequestCommand, requestFlags } from './commands/request-command.js';
import { VersionCommand, versionFlags } from './commands/version-command.js';
import type { DiscoveryEnvironment, Program } from './program.js';
import { analyzeFlags, sharedAnalyzeFlags } from './settings/analyze-flags.js';
import { captureFlags } from './settings/capture-flags.js';
import { discoveryFlags } from './settings/discovery-flags.js';
import { environmentVariables } from './settings/environment-variables.js';
import { grpcAgentFlags } from './settings/grpc-agent-flags.js';
import { grpcBootstrapFlags, grpcBootstrapVariables } from './settings/grpc-bootstrap-settings.js';
import { outputFlags } from './settings/output-flags.js';
import { policyWhyFlags, sharedPolicyWhyFlags } from './settings/policy-why-flags.js';
import { serverFlags } from './settings/server-flags.js';

/** The binary `navigator-discovery` (docs/reference/http.md#commands). */
export const discoveryProgram: Program<DiscoveryEnvironment> = {
  name: 'navigator-discovery',
  label: 'Navigator: control plane of the service mesh',
  commands: new Map([
    [
      'discovery',
      {
        command: DiscoveryCommand,
        purpose: DiscoveryCommand.usage.description ?? '',
        synopsis: 'discovery [flags]',
        serves: true,
        flags: Object.values(discoveryFlags),
        variables: Object.values(environmentVariables),
        takesOperands: false,
      },
    ],
    [
      'request',
      {
        command: RequestCommand,
        purpose: RequestCommand.usage.description ?? '',
        synopsis: 'request <method> <path> [<body>] [flags]',
        flags: Object.values(requestFlags),
        variables: [],
        takesOperands: true,
      },
    ],
    [
      'version',
      {
        command: VersionCommand<DiscoveryEnvironment>,
        purpose: VersionCommand.usage.description ?? '',
        synopsis: 'version [flags]',
        flags: Object.values(versionFlags),
        variables: [],
        takesOperands: false,
      },
    ],
    [
      'capture-traffic',
      {
        command: CaptureTrafficCommand,
        purpose: CaptureTrafficCommand.usage.description ?? '',
        synopsis: 'capture-traffic [flags]',
        flags: Object.values(captureFlags),
        variables: [],
        takesOperands: false,
      },
    ],
    [
      'grpc-bootstrap',
      {
        command: GrpcBootstrapCommand,
        purpose: GrpcBootstrapCommand.usage.description ?? '',
        synopsis: 'grpc-bootstrap [flags]',
        flags: Object.values(grpcBootstrapFlags),
        variables: Object.values(grpcBootstrapVariables),
        takesOperands: false,
      },
    ],
    [
      'grpc-agent',
      {
        command: GrpcAgentCommand,
        purpose: GrpcAgentCommand.usage.description ?? '',
        synopsis: 'grpc-agent [flags]',
        serves: true,
        flags: Object.values(grpcAgentFlags),
        variables: [],
        takesOperands: false,
      },
    ],
    [
      'proxy-status',
      {
        command: ProxyStatusCommand,
        purpose: ProxyStatusCommand.usage.description ?? '',
        synopsis: 'proxy-status [<proxy>] [flags]',
        flags: [...Object.values(serverFlags), ...Object.values(outputFlags)],
        variables: [],
        takesOperands: true,
      },
    ],
    [
      'check',
      {
        command: CheckCommand,
        purpose: CheckCommand.usage.description ?? '',
        synopsis: 'check [flags]',
        flags: [...Object.values(serverFlags), ...Object.values(outputFlags)],
        variables: [],
        takesOperands: false,
      },
    ],
    [
      'policy',
      {
        command: PolicyCommand,
        purpose: PolicyCommand.usage.description ?? '',
        synopsis: 'policy why <method> <url> [<file or folder>...] [flags]',
        flags: [...Object.values(policyWhyFlags), ...Object.values(sharedPolicyWhyFlags)],
        variables: [],
        takesOperands: true,
      },
    ],
    [
      'completion',
      {
        command: CompletionCommand,
        purpose: CompletionCommand.usage.description ?? '',
        synopsis: 'completion <bash|zsh|fish>',
        flags: [],
        variables: [],
        takesOperands: true,
      },
    ],
    [
      'analyze',
      {
        command: AnalyzeCommand,
        purpose: AnalyzeCommand.usage.description ?? '',
        synopsis: 'analyze (<file or folder or ->... | --address <host:port> | --cluster) [flags]',
        flags: [...Object.values(analyzeFlags), ...Object.values(sharedAnalyzeFlags)],
        variables: [],
        takesOperands: true,
      },
    ],
  ]),
};
