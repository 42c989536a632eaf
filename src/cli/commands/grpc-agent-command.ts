import { Command } from 'clipanion';
import { flagSource, parseCommonFlags } from '../parse-options.js';
import type { CommandContext, DiscoveryEnvironment } from '../program.js';
import { grpcAgentFlags } from '../settings/grpc-agent-flags.js';
import { readSettings } from '../settings/read-settings.js';
import { ReportedCommand } from './reported-command.js';

/** `navigator-discovery grpc-agent [flags]`. A sidecar of a pod without a proxy runs it until it is stopped. */
export class GrpcAgentCommand extends ReportedCommand<CommandContext<DiscoveryEnvironment>> {
  static override paths = [['grpc-agent']];
  static override usage = Command.Usage({
    description: 'Keeps the certificate files of a gRPC library without a proxy current.',
  });

  protected override async perform(): Promise<void> {
    const common = parseCommonFlags(this.context.flags);
    const agent = readSettings(grpcAgentFlags, flagSource(this.context.flags));
    const { startGrpcAgent } = await import('../../bootstrap/grpc-agent/start-grpc-agent.js');
    await startGrpcAgent({
      agent: agent.fields,
      common: common.fields,
      unimplemented: [...agent.unimplemented, ...common.unimplemented],
      warnings: [...agent.warnings, ...common.warnings],
      loopback: [],
    });
  }
}
